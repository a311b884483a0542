import {
  type Choice,
  type Client,
  type CreateInput,
  createClient,
  type Day,
  type FieldTypes,
  type ResourceClient,
  related,
  type UpdateInput,
  type UpsertInput,
} from '@kith/sdk'
import { describe, expect, it } from 'vitest'
import { type Specified, specified } from '../../specified.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

type Fields = {
  companies: { domains: string[]; linkedin: string[]; icp: boolean | null }
  opportunities: { stage: Choice | null; amount: number | null; close_date: Day | null }
}

function clientOf({ api }: TestWorkspace): Client<Fields> {
  return createClient<Fields>({ url: api.base.replace(/\/v1$/, ''), token: api.token })
}

async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of all) items.push(item)
  return items
}

describe('resources', () => {
  const named = {
    create: { name: 'First' },
    update: { name: 'Second' },
    upsert: { name: 'Third', match: { field: 'key', value: 'K-1' } },
  }
  const titled = {
    create: { title: 'First' },
    update: { title: 'Second' },
    upsert: { title: 'Third', match: { field: 'key', value: 'K-1' } },
  }
  const lives: Readonly<Record<Specified, (kith: Client) => Promise<void>>> = {
    companies: (kith) => live(kith.companies, named),
    people: (kith) => live(kith.people, named),
    opportunities: (kith) => live(kith.opportunities, named),
    tasks: (kith) => live(kith.tasks, titled),
    notes: (kith) => live(kith.notes, titled),
  }

  /** Does with one resource all that its client can. */
  async function live<R extends Specified>(
    client: ResourceClient<FieldTypes, R>,
    inputs: {
      create: CreateInput<FieldTypes, R>
      update: UpdateInput<FieldTypes, R>
      upsert: UpsertInput<FieldTypes, R>
    },
  ): Promise<void> {
    const { data: created } = await client.create(inputs.create)
    expect(created).toMatchObject({ id: expect.any(String), attributes: inputs.create })
    const { data: updated } = await client.update(created.id, inputs.update)
    expect(updated).toMatchObject({ id: created.id, attributes: inputs.update })
    expect(await client.read(created.id)).toEqual({ data: updated })

    const first = await client.upsert(inputs.upsert)
    expect(first).toMatchObject({ created: true, data: { attributes: { custom_fields: { key: 'K-1' } } } })
    const second = await client.upsert(inputs.upsert)
    expect(second).toEqual({ created: false, data: first.data })

    const list = await client.list({ sort: 'created_at', per_page: 1 })
    expect(list).toMatchObject({ data: [{ id: created.id }], meta: { current_page: 1, last_page: 2, total: 2 } })
    const query = await client.query({ sort: '-created_at', per_page: 1, page: 2 })
    const summary = await client.summary({ group_by: ['creation_source'] })
    expect(summary).toMatchObject({ data: [{ keys: [{ id: 'api' }], value: 2, count: 2 }], meta: { total_groups: 1 } })
    expect((await client.summary()).data).toEqual([{ keys: [], value: 2, count: 2 }])
    expect(query.data).toEqual(list.data)
    expect((await gather(client.pages({ per_page: 1 }))).map((page) => page.data)).toEqual([[second.data], [updated]])
    expect(await gather(client.all())).toEqual([second.data, updated])

    expect(await client.delete(created.id)).toBeUndefined()
    expect(await gather(client.all())).toEqual([second.data])
  }

  it.each(specified)('%s are created, read, updated, upserted, listed, queried, scanned and deleted', async (name) => {
    const workspace = await newWorkspace()
    await workspace.field(name, { name: 'Key', type: 'text', unique: true })
    await lives[name](createClient({ url: workspace.api.base.replace(/\/v1$/, ''), token: workspace.api.token }))
  })

  it('are sent back as they were read without a change', async () => {
    const kith = clientOf(await newWorkspace())
    const { data } = await kith.opportunities.create(
      { name: 'Deal', custom_fields: { stage: 'Negotiation', amount: '12.50', close_date: '2026-11-14' } },
      { include: ['notesCount'] },
    )
    expect(data.attributes.custom_fields).toEqual({
      stage: { id: expect.any(String), label: 'Negotiation' },
      amount: 12.5,
      close_date: '2026-11-14',
      owner: null,
    })
    const sent = await kith.opportunities.update(data.id, data.attributes, { include: ['notesCount'] })
    expect(sent.data).toEqual(data)
  })

  it('have the links that were written, and clear what is null', async () => {
    const kith = clientOf(await newWorkspace())
    const { data: me } = await kith.user()
    const { data: acme } = await kith.companies.create({ name: 'Acme', account_owner_id: me.id })
    const { data: task } = await kith.tasks.create({ title: 'Call', company_ids: [acme.id], assignee_ids: [me.id] })
    const read = await kith.tasks.read(task.id, { include: ['companies', 'assignees', 'peopleCount'] })
    expect(related(read, read.data, 'companies')).toEqual([acme])
    expect(related(read, read.data, 'assignees').map(({ attributes }) => attributes.email)).toEqual([
      me.attributes.email,
    ])
    expect(read.data.attributes.people_count).toBe(0)
    const cleared = await kith.companies.update(acme.id, { account_owner_id: null })
    expect(cleared.data.attributes.account_owner_id).toBeNull()
  })
})

describe('lists', () => {
  it('are filtered through relations and custom fields, and have what is included', async () => {
    const kith = clientOf(await newWorkspace())
    const { data: acme } = await kith.companies.create({ name: 'Acme', custom_fields: { domains: ['acme.com'] } })
    await kith.people.create({ name: 'Grace' })
    const { data: ada } = await kith.people.create({ name: 'Ada', company_id: acme.id })
    const query = {
      filter: { company: { custom_fields: { domains: { $has_any: ['https://www.acme.com/about'] } } } },
      include: ['company'],
    } as const
    const list = await kith.people.list(query)
    expect(list.data.map((person) => related(list, person, 'company')?.attributes.name)).toEqual(['Acme'])
    for await (const page of kith.people.pages(query)) {
      expect(page.data.map((person) => related(page, person, 'company'))).toEqual([acme])
    }
    for await (const person of kith.people.all(query)) {
      expect(person.id).toBe(ada.id)
      expect(person.relationships.company.data).toEqual({ id: acme.id, type: 'companies' })
    }
  })

  it('take filters that no address could hold, and times as dates', async () => {
    const kith = clientOf(await newWorkspace())
    const { data: acme } = await kith.companies.create({ name: 'Acme' })
    const ids = Array.from({ length: 99 }, (_, index) => `01kacm7krp9mcrqeke4h6b${String(index).padStart(4, '0')}`)
    const some = { company: { $in: [...ids, acme.id] } }
    const { data: ada } = await kith.people.create({ name: 'Ada', company_id: acme.id })
    const since = new Date(Date.parse(ada.attributes.created_at))
    const filter = { $and: Array.from({ length: 10 }, () => some), created_at: { $gte: since, $lte: since } }
    expect(JSON.stringify(filter).length).toBeGreaterThan(16 * 1024)
    expect((await kith.people.list({ filter })).data).toEqual([ada])
  })

  it('show the fields that were chosen', async () => {
    const kith = clientOf(await newWorkspace())
    const { data: acme } = await kith.companies.create({ name: 'Acme', custom_fields: { icp: true } })
    await kith.people.create({ name: 'Ada', company_id: acme.id })
    const list = await kith.companies.list({
      fields: { companies: ['name', 'custom_fields.icp'], people: ['name'] },
      include: ['people'],
    })
    expect(list.data[0]?.attributes).toEqual({ name: 'Acme', custom_fields: { icp: true } })
    expect(list.included.map(({ attributes }) => attributes)).toEqual([{ name: 'Ada' }])
    const { data } = await kith.companies.read(acme.id, { fields: ['name'] })
    expect(data.attributes).toEqual({ name: 'Acme' })
  })

  it('are scanned by cursor: what existed throughout is seen exactly once', async () => {
    const kith = clientOf(await newWorkspace())
    const made: string[] = []
    for (let number = 10; number < 30; number++) made.push((await kith.notes.create({ title: `${number}` })).data.id)
    const seen: string[] = []
    for await (const { id } of kith.notes.all({ per_page: 6, sort: 'title' })) {
      seen.push(id)
      if (seen.length === 3) await kith.notes.create({ title: '00' })
    }
    expect(seen).toEqual(made)
  })

  it('go on from a cursor that was kept', async () => {
    const kith = clientOf(await newWorkspace())
    for (const name of ['a', 'b', 'c']) await kith.companies.create({ name })
    const { value } = await kith.companies.pages({ sort: 'name', per_page: 2 }).next()
    const cursor = value?.meta.next_cursor ?? ''
    const rest = await gather(kith.companies.all({ sort: 'name', per_page: 2, cursor }))
    expect(rest.map(({ attributes }) => attributes.name)).toEqual(['c'])
  })

  it('are scanned by page when they are sorted by a custom field', async () => {
    const kith = clientOf(await newWorkspace())
    for (const amount of [3, 1, 2]) await kith.opportunities.create({ name: `${amount}`, custom_fields: { amount } })
    const pages = await gather(kith.opportunities.pages({ sort: '-custom_fields.amount', per_page: 2 }))
    expect(pages.map(({ data }) => data.map(({ attributes }) => attributes.name))).toEqual([['3', '2'], ['1']])
    expect(pages.map(({ meta }) => meta.next_cursor)).toEqual([undefined, undefined])
  })
})

describe('other calls', () => {
  it('the definitions of custom fields are listed and scanned', async () => {
    const kith = clientOf(await newWorkspace())
    const list = await kith.customFields.list({ entity_type: 'companies', per_page: 2, page: 2 })
    expect(list.data.map(({ attributes }) => attributes.code)).toEqual(['icp'])
    expect(list.meta.total).toBe(3)
    const all = await gather(kith.customFields.all({ per_page: 4 }))
    expect(all).toHaveLength(16)
    expect(new Set(all.map(({ id }) => id)).size).toBe(16)
    const [first] = await gather(kith.customFields.pages({ entity_type: 'tasks' }))
    expect(first?.data[0]).toMatchObject({ type: 'custom_fields', attributes: { code: 'status', type: 'select' } })
  })

  it('the user is whose token it is', async () => {
    const workspace = await newWorkspace()
    const { id, name, email } = workspace.owner
    expect(await clientOf(workspace).user()).toEqual({ data: { id, type: 'users', attributes: { name, email } } })
  })

  it('the members of the workspace are listed and scanned', async () => {
    const workspace = await newWorkspace()
    const kith = clientOf(workspace)
    const people = [workspace.owner, await workspace.member('member'), await workspace.member('viewer')]
    const list = await kith.users.list({ per_page: 2 })
    expect([list.data.length, list.meta.total]).toEqual([2, 3])
    const all = await gather(kith.users.all({ per_page: 2 }))
    expect(all.map(({ attributes }) => attributes.email).sort()).toEqual(people.map(({ email }) => email).sort())
    expect(all.slice(0, 2)).toEqual(list.data)
    expect(await gather(kith.users.pages({ per_page: 2 }))).toHaveLength(2)
  })

  it('the token has its abilities, limits and workspace', async () => {
    const { id, slug, member, token } = await newWorkspace()
    const own = await token({ user: await member('member'), abilities: ['read'] })
    const { data } = await createClient({ url: own.base.replace(/\/v1$/, ''), token: own.token }).token()
    expect(data).toMatchObject({ id: own.id, type: 'tokens' })
    expect(data.attributes).toMatchObject({ abilities: ['read'], expires_at: null, role: 'member' })
    expect(data.attributes.workspace).toMatchObject({ id, slug })
    expect(data.attributes.limits.reads).toBeGreaterThan(0)
  })
})
