import { type Client, createClient, KithError, related } from '@kith/sdk'

type Fields = { companies: { domains: string[]; linkedin: string[]; icp: boolean | null } }

/**
 * A program such as an integrator writes. It is compiled against the package, run with it, and bundled for browsers.
 */
export async function sync(url: string, token: string): Promise<object> {
  const kith = createClient<Fields>({ url, token })
  const match = { field: 'domains', value: 'acme.com' } as const
  const { created, data: acme } = await kith.companies.upsert({ match, name: 'Acme', custom_fields: { icp: true } })
  await kith.people.create({ name: 'Ada', company_id: acme.id, custom_fields: { emails: ['ada@acme.com'] } })
  const found: string[] = []
  const filter = { company: { custom_fields: { domains: { $has_any: ['acme.com'] } } } }
  for await (const page of kith.people.pages({ filter, include: ['company'] })) {
    for (const person of page.data) {
      const company = related(page, person, 'company')
      found.push(`${person.attributes.name} of ${company?.attributes.name}`)
    }
  }
  const failure: unknown = await kith.companies.create({ name: '' }).catch((error: unknown) => error)
  const paths = failure instanceof KithError ? Object.keys(failure.errors) : []
  return { created, domains: acme.attributes.custom_fields.domains, found, paths }
}

/** Only compiled, with `exactOptionalPropertyTypes`: what is undefined is as good as absent. */
export function undefinedOptions(kith: Client<Fields>): unknown[] {
  return [
    createClient({ url: '', token: '', signal: undefined, retries: undefined }),
    kith.companies.create({ name: 'Acme', account_owner_id: undefined, custom_fields: { icp: undefined } }),
    kith.people.list({ filter: undefined, sort: undefined, include: undefined, fields: undefined, signal: undefined }),
    kith.people.update('id', { name: undefined, company_id: undefined }, { ifMatch: undefined }),
    kith.schema.updateField({ resource: 'notes', code: 'odd' }, { name: undefined }, { ifMatch: undefined }),
    kith.webhooks.update('id', { url: undefined, filter: undefined }),
    kith.companies.import('name', { match: undefined, mode: undefined, name: undefined }),
    kith.changes.list({ cursor: 'now', resources: undefined, wait: undefined }),
    kith.notifications.list({ unread: undefined, cursor: undefined }),
  ]
}

/** Only compiled. */
export function wrong(kith: Client<Fields>): unknown[] {
  return [
    // @ts-expect-error A company has no such field.
    kith.companies.list({ filter: { custom_fields: { domain: { $has_any: ['acme.com'] } } } }),
    // @ts-expect-error A task has a title.
    kith.tasks.list({ filter: { name: { $eq: 'Call' } } }),
    // @ts-expect-error A name is required.
    kith.people.create({ company_id: null }),
  ]
}
