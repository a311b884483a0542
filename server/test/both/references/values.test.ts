import { beforeAll, describe, expect, it } from 'vitest'
import { madeResource } from '../../own-resource.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let acme: string
let bolt: string

const account = 'custom_fields.account'

beforeAll(async () => {
  workspace = await newWorkspace()
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  const { api } = workspace
  acme = await made('companies', { name: 'Acme', custom_fields: { domains: ['acme.example'] } })
  bolt = await made('companies', { name: 'Bolt', external_ids: { crm: 'b1' } })
  const inverse = { code: 'projects', name: 'Projects' }
  expect((await field({ name: 'Account', type: 'record', target: 'companies', inverse })).status).toBe(201)
  expect((await field({ name: 'Partners', type: 'record', target: 'companies', multiple: true })).status).toBe(201)
  expect((await field({ name: 'Lead', type: 'member' })).status).toBe(201)
  expect((await field({ name: 'Crew', type: 'member', multiple: true })).status).toBe(201)
  expect((await api.get('/schema/projects')).body.data.attributes.custom_fields.account).toMatchObject({
    type: 'record',
    settings: { target: 'companies', inverse },
    multiple: false,
    operators: ['$in', '$not_in', '$is_empty'],
    sortable: false,
    writable: true,
  })
})

function field(input: object) {
  return workspace.api.post('/schema/projects/fields', input)
}

async function made(resource: string, body: object): Promise<string> {
  const answer = await workspace.api.post(`/${resource}`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data.id
}

function project(custom_fields: object, name = 'Roof') {
  return workspace.api.post('/projects', { name, custom_fields })
}

const company = (id: string) => ({ id, type: 'companies' })

describe('A value', () => {
  it.each([
    ['an id', () => acme],
    ['an id in upper case', () => acme.toUpperCase()],
    ['an identifier', () => company(acme)],
    ['a match', () => ({ match: { field: 'domains', value: 'acme.example' } })],
    ['a list of one', () => [acme]],
  ])('is written as %s', async (_, value) => {
    const answer = await project({ account: value() })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.body.data.attributes.custom_fields).toMatchObject({
      account: company(acme),
      partners: [],
      lead: null,
    })
  })

  it('is written as an external id, and with lids of a batch', async () => {
    const answer = await project({ account: { match: { field: 'external_ids.crm', value: 'b1' } } })
    expect(answer.body.data.attributes.custom_fields.account).toEqual(company(bolt))
    const batch = await workspace.api.post('/batch', {
      operations: [
        { op: 'create', resource: 'companies', lid: 'new', data: { name: 'New' } },
        {
          op: 'create',
          resource: 'projects',
          data: { name: 'P', custom_fields: { partners: [{ lid: 'new' }, acme] } },
        },
      ],
    })
    expect(batch.status, batch.text).toBe(200)
    const [created, second] = batch.body.data
    const read = await workspace.api.get(`/projects/${second.id}`)
    expect(read.body.data.attributes.custom_fields.partners).toEqual([company(created.id), company(acme)])
  })

  it('names members by id or e-mail address', async () => {
    const { owner } = workspace
    const answer = await project({ lead: { email: owner.email.toUpperCase() }, crew: owner.id })
    expect(answer.body.data.attributes.custom_fields).toMatchObject({
      lead: { id: owner.id, type: 'users' },
      crew: [{ id: owner.id, type: 'users' }],
    })
  })

  it('keeps its order and drops repeats', async () => {
    const partners = [bolt, acme, { match: { field: 'domains', value: 'acme.example' } }, company(bolt)]
    const answer = await project({ partners })
    expect(answer.body.data.attributes.custom_fields.partners).toEqual([company(bolt), company(acme)])
  })

  it('is refused where it names nothing', async () => {
    const task = await made('tasks', { title: 'T' })
    const answer = await project({
      account: task,
      partners: [acme, 'x', { match: { field: 'domains', value: 'nobody.example' } }, { id: acme, type: 'people' }],
      lead: { email: 'nobody@x.example' },
      crew: [''],
    })
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({
      'custom_fields.partners.1': ['The custom_fields.partners.1 must be the ID of an existing record in companies.'],
      'custom_fields.partners.3.type': ['The custom_fields.partners.3.type must be companies.'],
      'custom_fields.crew.0': ['The custom_fields.crew.0 must be the ID of a member of this workspace.'],
      'custom_fields.account': ['The custom_fields.account must be the ID of an existing record in companies.'],
      'custom_fields.partners.2': [
        'The custom_fields.partners.2 names no record: none in companies holds the domains value nobody.example.',
      ],
      'custom_fields.lead': [
        'The custom_fields.lead names no member of this workspace: none has the email address nobody@x.example.',
      ],
    })
  })

  it('has a limit', async () => {
    const two = await project({ account: [acme, bolt] })
    expect(two.body.errors).toEqual({ 'custom_fields.account': ['The Account must not have more than 1 value.'] })
    const same = await project({ account: [acme, acme] })
    expect(same.status).toBe(201)
  })

  it('is cleared by null and by an empty list, and refuses an empty text', async () => {
    const { id } = (await project({ account: acme, partners: [acme] })).body.data
    const empty = await workspace.api.patch(`/projects/${id}`, { custom_fields: { account: '' } })
    expect(empty.status).toBe(422)
    const cleared = await workspace.api.patch(`/projects/${id}`, { custom_fields: { account: [], partners: null } })
    expect(cleared.body.data.attributes.custom_fields).toMatchObject({ account: null, partners: [] })
  })
})

describe('A deleted record', () => {
  it('reads as if it were not there, changes nothing when it is sent back, and comes back with a restore', async () => {
    const gone = await made('companies', { name: 'Gone' })
    const { id } = (await project({ account: gone, partners: [acme, gone, bolt] })).body.data
    await workspace.api.delete(`/companies/${gone}`)
    const hidden = (await workspace.api.get(`/projects/${id}`)).body.data.attributes
    expect(hidden.custom_fields).toMatchObject({ account: null, partners: [company(acme), company(bolt)] })
    const again = await workspace.api.put(`/projects/${id}`, hidden)
    expect(again.status, again.text).toBe(200)
    expect(again.body.data.attributes.updated_at).toBe(hidden.updated_at)
    const { body } = await workspace.api.get('/changes?cursor=now')
    await workspace.api.put(`/companies/${gone}/restore`)
    const shown = (await workspace.api.get(`/projects/${id}`)).body.data.attributes
    expect(shown.custom_fields).toMatchObject({
      account: company(gone),
      partners: [company(acme), company(gone), company(bolt)],
    })
    expect(shown.updated_at > hidden.updated_at).toBe(true)
    const entries = (await workspace.api.get(`/changes?cursor=${body.meta.next_cursor}`)).body.data
    expect(entries.map(({ attributes: { kind, resource, changed } }: Answer) => ({ kind, resource, changed }))).toEqual(
      [
        { kind: 'restored', resource: 'companies', changed: [] },
        { kind: 'updated', resource: 'projects', changed: ['custom_fields.account', 'custom_fields.partners'] },
      ],
    )
  })

  it('is replaced by any other value', async () => {
    const gone = await made('companies', { name: 'Gone' })
    const { id } = (await project({ partners: [acme, gone] })).body.data
    await workspace.api.delete(`/companies/${gone}`)
    await workspace.api.patch(`/projects/${id}`, { custom_fields: { partners: [acme, bolt] } })
    await workspace.api.put(`/companies/${gone}/restore`)
    const { partners } = (await workspace.api.get(`/projects/${id}`)).body.data.attributes.custom_fields
    expect(partners).toEqual([company(acme), company(bolt)])
  })
})

// What feed entries look like is tested elsewhere.
// biome-ignore lint/suspicious/noExplicitAny: see above.
type Answer = any

it('A member who has left stays in the value, and can be sent back', async () => {
  const person = await workspace.member('member')
  const { id } = (await project({ lead: person.id, crew: [workspace.owner.id, person.id] })).body.data
  await workspace.remove(person)
  const left = (await workspace.api.get(`/projects/${id}?include=custom_fields.lead`)).body.data
  expect(left.attributes.custom_fields.lead).toEqual({ id: person.id, type: 'users' })
  expect(left.relationships).toEqual({ 'custom_fields.lead': { data: null } })
  const again = await workspace.api.put(`/projects/${id}`, { ...left.attributes, name: 'Other' })
  expect(again.status, again.text).toBe(200)
  const other = await workspace.api.patch(`/projects/${id}`, { custom_fields: { crew: [person.id] } })
  expect(other.status, other.text).toBe(200)
  const refused = await project({ lead: person.id })
  expect(refused.status).toBe(422)
})

describe('Lists', () => {
  let ids: Record<string, string>

  beforeAll(async () => {
    const me = workspace.owner.id
    const bodies: Record<string, object> = {
      one: { account: acme, partners: [acme, bolt], lead: me },
      two: { account: bolt, partners: [bolt] },
      none: {},
    }
    ids = {}
    for (const [name, values] of Object.entries(bodies)) {
      const { id } = (await project(values, `List ${name}`)).body.data
      ids[name] = id
    }
  })

  const found = async (filter: object) => {
    const scoped = { $and: [{ name: { $contains: 'List ' } }, filter] }
    const answer = await workspace.api.post('/projects/query', { filter: scoped, sort: 'name' })
    expect(answer.status, answer.text).toBe(200)
    const names = answer.body.data.map(({ attributes }: Answer) => attributes.name.slice(5))
    expect(answer.body.meta.total).toBe(names.length)
    return names
  }

  it.each([
    ['ids', () => ({ account: { $in: [acme] } }), ['one']],
    ['other ids', () => ({ account: { $not_in: [acme] } }), ['none', 'two']],
    ['emptiness', () => ({ account: { $is_empty: true } }), ['none']],
    ['being set', () => ({ partners: { $is_empty: false } }), ['one', 'two']],
    ['a condition on the record', () => ({ account: { name: { $contains: 'acm' } } }), ['one']],
    ['a condition on some record of a list', () => ({ partners: { name: { $eq: 'Bolt' } } }), ['one', 'two']],
    [
      'conditions that one record meets',
      () => ({ partners: { $in: [acme], name: { $contains: 'Bolt' } } }),
      [] as string[],
    ],
    ['a field of the record', () => ({ account: { custom_fields: { domains: { $is_empty: false } } } }), ['one']],
    ['me', () => ({ lead: { $in: ['me'] } }), ['one']],
    ['not me', () => ({ lead: { $not_in: ['me'] } }), ['none', 'two']],
  ])('are filtered by %s', async (_, filter, names) => {
    expect((await found({ custom_fields: filter() })).sort()).toEqual(names)
  })

  it('are filtered in addresses', async () => {
    const of = (query: string) => workspace.api.get(`/projects?filter[name][$contains]=List&${query}`)
    const nested = await of('filter[custom_fields][account][name][$contains]=bol')
    expect(nested.body.data.map(({ id }: Answer) => id)).toEqual([ids.two])
    const mine = await of('filter[custom_fields][lead][$in]=me')
    expect(mine.body.data.map(({ id }: Answer) => id)).toEqual([ids.one])
    const counted = await of('filter[custom_fields][lead][$eq]=me')
    expect(counted.status).toBe(422)
  })

  it('count as relations, and cannot be sorted by', async () => {
    const sorted = await workspace.api.get('/projects?sort=custom_fields.account')
    expect(sorted.status).toBe(422)
    const deep = { custom_fields: { account: { people: { company: { name: { $eq: 'x' } } } } } }
    const refused = await workspace.api.post('/projects/query', { filter: deep })
    expect(refused.status).toBe(422)
  })

  it('include records in the order of the value', async () => {
    const include = 'custom_fields.partners,custom_fields.account,custom_fields.lead'
    const answer = await workspace.api.get(`/projects/${ids.one}?include=${include}`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.relationships).toEqual({
      'custom_fields.partners': { data: [company(acme), company(bolt)] },
      [account]: { data: company(acme) },
      'custom_fields.lead': { data: { id: workspace.owner.id, type: 'users' } },
    })
    expect(answer.body.included.map(({ type, id }: Answer) => `${type} ${id}`).sort()).toEqual(
      [`companies ${acme}`, `companies ${bolt}`, `users ${workspace.owner.id}`].sort(),
    )
  })

  it.each([
    ['custom_fields.account', { Acme: 1, Bolt: 1, Empty: 1 }],
    ['custom_fields.partners', { Acme: 1, Bolt: 2, Empty: 1 }],
    ['custom_fields.account.creation_source', { api: 2, Empty: 1 }],
    ['custom_fields.partners.creation_source', { api: 2, Empty: 1 }],
  ])('are grouped by %s', async (group, counts) => {
    const filter = { name: { $contains: 'List ' } }
    const answer = await workspace.api.post('/projects/summary', { filter, measure: 'count', group_by: [group] })
    expect(answer.status, answer.text).toBe(200)
    const found = answer.body.data.map(({ keys, count }: Answer) => [
      keys[0].id === null ? 'Empty' : keys[0].label,
      count,
    ])
    expect(Object.fromEntries(found)).toEqual(counts)
  })

  it('include the inverse, count it and are filtered by it', async () => {
    const fresh = await made('companies', { name: 'Fresh' })
    const mine = [await project({ account: fresh }, 'A'), await project({ account: fresh }, 'B')]
    const own = mine.map(({ body }) => body.data.id).sort()
    const read = await workspace.api.get(`/companies/${fresh}?include=projects,projectsCount`)
    expect(read.status, read.text).toBe(200)
    expect(read.body.data.attributes.projects_count).toBe(2)
    expect(read.body.data.relationships.projects.data.map(({ id }: Answer) => id)).toEqual(own)
    expect(read.body.included.map(({ type }: Answer) => type)).toEqual(['projects', 'projects'])
    for (const filter of [{ $in: own }, { name: { $eq: 'B' } }, { $is_empty: false, name: { $eq: 'A' } }]) {
      const list = await workspace.api.post('/companies/query', {
        filter: { $and: [{ name: { $eq: 'Fresh' } }, { projects: filter }] },
      })
      expect(list.body.data.map(({ id }: Answer) => id)).toEqual([fresh])
    }
    const without = await workspace.api.post('/companies/query', {
      filter: { $and: [{ name: { $eq: 'Fresh' } }, { projects: { $is_empty: true } }] },
    })
    expect(without.body.data).toEqual([])
    await workspace.api.delete(`/projects/${own[0]}`)
    const fewer = await workspace.api.get(`/companies/${fresh}?include=projects,projectsCount`)
    expect(fewer.body.data.attributes.projects_count).toBe(1)
    expect(fewer.body.data.relationships.projects.data).toEqual([{ id: own[1], type: 'projects' }])
    const written = await workspace.api.patch(`/companies/${fresh}`, { projects: own })
    expect(written.status).toBe(422)
  })
})

it('A filter of the feed takes no me', async () => {
  const query = 'filter[custom_fields][lead][$in]=me'
  const answer = await workspace.api.get(`/projects/changes?cursor=now&${query}`)
  expect(answer.status).toBe(422)
  expect(answer.text).toContain('cannot be me here')
})

it('The history shows references as they are read', async () => {
  const { id } = (await project({ account: acme })).body.data
  await workspace.api.patch(`/projects/${id}`, { custom_fields: { account: bolt } })
  const [latest] = (await workspace.api.get(`/projects/${id}/history`)).body.data
  expect(latest.attributes.changes).toMatchObject([
    { field: account, before: { ...company(acme), label: 'Acme' }, after: { ...company(bolt), label: 'Bolt' } },
  ])
})

it('The owner of an own record stays after having left, and can be sent back', async () => {
  const person = await workspace.member('member')
  const made = await workspace.api.post('/projects', { name: 'P', owner_id: person.id })
  const { id } = made.body.data
  await workspace.remove(person)
  const read = (await workspace.api.get(`/projects/${id}?include=owner`)).body.data
  expect(read.attributes.owner_id).toBe(person.id)
  expect(read.relationships).toEqual({ owner: { data: null } })
  const again = await workspace.api.put(`/projects/${id}`, { ...read.attributes, name: 'Q' })
  expect(again.status, again.text).toBe(200)
  const empty = await workspace.api.get('/projects?filter[owner][$is_empty]=true&filter[name][$eq]=Q')
  expect(empty.body.meta.total).toBe(1)
  const other = await workspace.api.post('/projects', { name: 'P', owner_id: person.id })
  expect(other.status).toBe(422)
})
