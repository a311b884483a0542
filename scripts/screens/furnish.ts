import type { APIRequestContext, Browser } from 'playwright-core'
import { callsOf } from './open-screens.ts'

export type Furniture = {
  /** The addresses of the workspace and of an empty one. */
  base: string
  empty: string
  ids: Record<'company' | 'person' | 'opportunity' | 'task' | 'note', string>
  /** Two companies with one registration number. */
  twins: string[]
  /** Of Jonas Weber and Mei Tanaka, as they signed in. */
  colleagues: Session[]
  invitation: string
}

/** The cookies of a signed-in user. */
export type Session = Awaited<ReturnType<APIRequestContext['storageState']>>

const headers = { 'X-Kith-App': '1' }
const PASSWORD = 'correct horse battery'
/** The code of a field. */
const NUMBER = 'registration_number'

/** Creates a workspace with sample records, members, views and links. */
export async function furnish(
  request: APIRequestContext,
  browser: Browser,
  { url, token, hooks }: { url: string; token: string; hooks: readonly string[] },
): Promise<Furniture> {
  const app = `${url}/api/app`
  const post = postTo(request)
  const { slug } = await post(`${app}/set-up`, {
    token,
    name: 'Ada Lindqvist',
    email: 'ada@harbour.example',
    password: PASSWORD,
    workspace_name: 'Harbour',
    sample: true,
  })
  const { slug: empty } = await post(`${app}/workspaces`, { name: 'Lighthouse' })
  const w = `${app}/w/${slug}`
  const colleagues: Session[] = []
  for (const [name, role] of [
    ['Jonas Weber', 'admin'],
    ['Mei Tanaka', 'member'],
    ['Vera Moss', 'viewer'],
  ] as const) {
    const invited = await post(`${w}/invitations`, {
      email: `${name.split(' ')[0]?.toLowerCase()}@harbour.example`,
      role,
    })
    colleagues.push(await join(browser, { url, link: invited.url, name }))
  }
  const { url: invitation } = await post(`${w}/invitations`, { email: 'sam@harbour.example', role: 'member' })
  for (const [name, abilities, expires_in_days] of [
    ['Website form', ['create', 'read'], 90],
    ['Nightly report', ['read'], null],
  ] as const) {
    await post(`${w}/tokens`, { name, abilities, expires_in_days })
  }
  const fields = `${w}/v1/schema/companies/fields`
  const options = [
    { label: 'Gold', color: 'amber' },
    { label: 'Silver', color: 'gray' },
    { label: 'Bronze', color: 'orange' },
  ]
  await post(fields, { name: 'Tier', type: 'select', options })
  await post(fields, { name: 'Registration number', code: NUMBER, type: 'text' })
  // The records that follow are what they deliver.
  for (const hook of hooks) {
    await post(`${w}/v1/webhooks`, { url: hook, types: ['companies.*', 'people.created', 'people.updated'] })
  }
  return { base: `${url}/${slug}`, empty: `${url}/${empty}`, invitation, colleagues, ...(await addRecords(request, w)) }
}

type Invited = { url: string; link: string; name: string }

/** Accepts an invitation in a separate browser context. */
async function join(browser: Browser, { url, link, name }: Invited): Promise<Session> {
  const context = await browser.newContext()
  const token = new URL(link).searchParams.get('token')
  await postTo(context.request)(`${url}/api/app/invitations/${token}/accept`, { name, password: PASSWORD })
  const session = await context.storageState()
  await context.close()
  return session
}

async function addRecords(request: APIRequestContext, w: string) {
  const post = postTo(request)
  const v1 = `${w}/v1`
  const first = async (path: string) => (await (await request.get(`${v1}/${path}`)).json()).data[0].id
  const options = (await (await request.get(`${v1}/companies?per_page=30&sort=-created_at`)).json()).data
  for (const [place, { id }] of options.entries()) {
    const Tier = ['Gold', 'Silver', 'Bronze'][place % 3]
    await request.patch(`${v1}/companies/${id}`, { headers, data: { custom_fields: { tier: Tier } } })
  }
  const twins = []
  for (const [name, domain] of [
    ['Northwind Shipping', 'northwind.example'],
    ['Northwind Shipping GmbH', 'northwind-shipping.example'],
  ]) {
    const custom_fields = { [NUMBER]: 'HRB 48211', domains: [domain], tier: 'Gold' }
    twins.push((await post(`${v1}/companies`, { name, custom_fields })).id)
  }
  await request.put(`${v1}/schema/companies/fields/${NUMBER}`, { headers, data: { unique: true } })
  const company = twins[0]
  const person = (
    await post(`${v1}/people`, {
      name: 'Ingrid Solheim',
      company_id: company,
      custom_fields: {
        emails: ['ingrid@northwind.example'],
        job_title: 'Head of Fleet',
        phone_number: ['+47 22 12 34 56'],
      },
    })
  ).id
  await post(`${v1}/people`, { name: 'Lars Holm', company_id: twins[1], custom_fields: { job_title: 'Buyer' } })
  const opportunity = (
    await post(`${v1}/opportunities`, {
      name: 'Fleet renewal 2027',
      company_id: company,
      contact_id: person,
      custom_fields: { stage: 'Proposal', amount: 84000 },
    })
  ).id
  const about = { company_ids: [company], people_ids: [person], opportunity_ids: [opportunity] }
  const description = [
    '## Before the call\n',
    '- [x] Read the last offer\n- [ ] Ask **Ingrid** for the list of vessels\n- [ ] Compare with last year\n',
    'The board meets on the *first Tuesday*. See the [tender](https://northwind.example/tender).',
  ].join('\n')
  const task = (
    await post(`${v1}/tasks`, {
      title: 'Prepare the offer for Northwind',
      ...about,
      custom_fields: { description, status: 'To do', priority: 'High' },
    })
  ).id
  const body = [
    '## What they need\n',
    'Two vessels are due for a refit in **spring**. They want one contract for both.\n',
    '1. A price until the end of the month\n2. References from the Baltic\n',
    '> We would rather pay for quality once.\n',
    'Contact: `ingrid@northwind.example`',
  ].join('\n')
  const note = (await post(`${v1}/notes`, { title: 'Visit in Bergen', ...about, custom_fields: { body } })).id
  for (const path of ['companies?sort=name&per_page=1', 'tasks?sort=created_at&per_page=1']) {
    await request.delete(`${v1}/${path.split('?')[0]}/${await first(path)}`, { headers })
  }
  await post(`${w}/views`, {
    resource: 'companies',
    name: 'Gold customers',
    shared: true,
    state: { filter: { custom_fields: { tier: { $eq: 'Gold' } } }, sort: 'name' },
  })
  return { twins, ids: { company, person, opportunity, task, note } }
}

function postTo(request: APIRequestContext) {
  const call = callsOf(request)
  return async (address: string, data: object) => (await call('post', address, { data })).data
}
