import { beforeAll, describe, expect, it } from 'vitest'
import { recordVersions } from '../../../src/records/read.ts'
import { searchRecords } from '../../../src/records/search.ts'
import { gone, made } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  const company = await made(api, 'companies', { name: 'Acme Works', custom_fields: { domains: ['acme.example'] } })
  await made(api, 'companies', { name: 'Great Acme' })
  await made(api, 'companies', { name: 'Macmenamin' })
  await made(api, 'people', {
    name: 'Ada Größe',
    company_id: company.id,
    custom_fields: { emails: ['Ada@Acme.example'], phone_number: '+1 415 555 0100' },
  })
  await made(api, 'opportunities', { name: 'Acme renewal', company_id: company.id })
  await made(api, 'tasks', { title: 'Call acme', custom_fields: { status: 'To do' } })
})

async function found(query: string, more: { resource?: string; per_page?: number } = {}): Promise<string[]> {
  const { data } = await searchRecords(await workspace.scope(), { query, ...more })
  return data.map((hit) => `${hit.resource} ${hit.name} (${hit.detail})`)
}

describe('search', () => {
  it('ranks records of all resources together, and says what distinguishes each', async () => {
    expect(await found('ACME')).toEqual([
      'opportunities Acme renewal (Acme Works)',
      'companies Acme Works (acme.example)',
      'tasks Call acme (To do)',
      'companies Great Acme (null)',
      'companies Macmenamin (null)',
      'people Ada Größe (Ada@Acme.example)',
    ])
    expect(await found('acme', { resource: 'companies' })).toEqual([
      'companies Acme Works (acme.example)',
      'companies Great Acme (null)',
      'companies Macmenamin (null)',
    ])
  })

  it('returns as many as are asked for, page by page', async () => {
    const scope = await workspace.scope()
    const page = await searchRecords(scope, { query: 'acme', page: 2, per_page: 4 })
    expect(page).toMatchObject({
      total: 6,
      page: 2,
      per_page: 4,
      data: [{ name: 'Macmenamin' }, { name: 'Ada Größe' }],
    })
  })

  it('shows the address or number that matches', async () => {
    expect(await found('415 555')).toEqual(['people Ada Größe (+14155550100)'])
    expect(await found('ada@acme')).toEqual(['people Ada Größe (Ada@Acme.example)'])
  })

  it('takes an empty query for nothing', async () => {
    expect([await found('  '), await found('%%%')]).toEqual([[], []])
  })
})

it('search finds what is new, under its new name, and nothing that is deleted', async () => {
  const { api } = workspace
  const { id } = await made(api, 'notes', { title: 'Zebra minutes' })
  expect(await found('zebra')).toEqual(['notes Zebra minutes (null)'])
  await api.patch(`/notes/${id}`, { title: 'Giraffe minutes' })
  expect([await found('zebra'), await found('giraffe')]).toEqual([[], ['notes Giraffe minutes (null)']])
  await gone(api, 'notes', id)
  expect(await found('giraffe')).toEqual([])
})

it('search finds a record by the whole id that another system has for it', async () => {
  const { api } = workspace
  const ids = { stripe: ['cus_9XyZ'], crm: ['0015g-7/a', '77'] }
  const { id } = await made(api, 'people', { name: 'Held Elsewhere', external_ids: ids })
  const listed = async (query: string) => {
    const { body } = await api.get(`/people?filter[$search]=${encodeURIComponent(query)}`)
    return [body.meta.total, ...body.data.map((one: { id: string }) => one.id)]
  }
  for (const query of ['cus_9XyZ', ' 0015g-7/a ', '77']) {
    expect(await found(query), query).toContain('people Held Elsewhere (null)')
    expect(await listed(query), query).toEqual([1, id])
  }
  for (const query of ['cus_9xyz', 'cus_9', '0015g-7']) {
    expect([await found(query), await listed(query)], query).toEqual([[], [0]])
  }
  await gone(api, 'people', id)
  expect([await found('cus_9XyZ'), await listed('cus_9XyZ')]).toEqual([[], [0]])
})

it('search sees only its own workspace, and needs the ability to read', async () => {
  const neighbour = await newWorkspace()
  expect(await searchRecords(await neighbour.scope(), { query: 'acme' })).toMatchObject({ data: [], total: 0 })
  const scope = await workspace.scope()
  const writer = { ...scope, actor: { ...scope.actor, abilities: ['create'] as const } }
  expect((await refusalOf(searchRecords(writer, { query: 'x' })))[0]).toContain('"read"')
})

it('search refuses what it cannot look for', async () => {
  const scope = await workspace.scope()
  expect(await refusalOf(searchRecords(scope, { query: 7, per_page: 101, resource: 'person' }))).toEqual([
    'per_page: The per_page must be a whole number from 1 to 100.',
    expect.stringContaining('resource: The resource must be one of: companies, people'),
    'q: The q must be a string.',
  ])
  expect((await refusalOf(searchRecords(scope, { query: 'x'.repeat(256) })))[0]).toContain('255')
  const words = Array.from({ length: 21 }, (_, index) => `w${index}`).join(' ')
  expect((await refusalOf(searchRecords(scope, { query: words })))[0]).toContain('20 words')
})

describe('GET /v1/search', () => {
  it('answers with results in pages, as lists do', async () => {
    const { api } = workspace
    const { status, body } = await api.get('/search?q=acme+works&resource=companies&per_page=1')
    expect([status, body.meta.total, body.data]).toEqual([
      200,
      1,
      [
        {
          id: expect.any(String),
          type: 'search_results',
          attributes: {
            resource: 'companies',
            name: 'Acme Works',
            detail: 'acme.example',
            created_at: expect.any(String),
          },
        },
      ],
    ])
    expect(body.links.first).toContain('/api/v1/search?q=acme%20works&resource=companies&per_page=1&page=1')
    expect((await api.get('/search?q=')).body.data).toEqual([])
  })

  it('refuses what it does not know, and needs the ability to read', async () => {
    const { api } = workspace
    const refused = await api.get('/search?query=x&resource=companie&page=0')
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['query', 'page', 'resource', 'q']])
    const { send } = await workspace.token({ abilities: ['create'] })
    expect((await send('GET', '/search?q=x')).status).toBe(403)
  })
})

it('a filter finds all that search finds, in the order of the list, and takes other conditions', async () => {
  const { api } = workspace
  const names = async (filter: object) =>
    (await api.post('/companies/query', { sort: 'name', filter })).body.data.map(
      (one: { attributes: { name: string } }) => one.attributes.name,
    )
  expect(await names({ $search: 'acme' })).toEqual(['Acme Works', 'Great Acme', 'Macmenamin'])
  expect(await names({ $search: 'WORKS acme.ex' })).toEqual(['Acme Works'])
  expect(await names({ $search: 'acme', name: { $contains: 'great' } })).toEqual(['Great Acme'])
  expect(await names({ $not: { $search: 'acme' } })).toEqual([])
  expect(await names({ people: { $search: 'grosse' } })).toEqual(['Acme Works'])
  const misspelt = await api.post('/companies/query', { filter: { search: 'acme' } })
  expect(misspelt.body.message).toContain('Did you mean $search?')
  const refused = await api.post('/companies/query', { filter: { $search: '!!!' } })
  expect(refused.body.errors).toEqual({ 'filter.$search': [expect.stringContaining('a letter or a digit')] })
})

it('search forgets the values of an archived field until it is restored', async () => {
  const { api } = workspace
  const { code } = await workspace.field('people', { name: 'Nickname', type: 'text' })
  await made(api, 'people', { name: 'Nick', custom_fields: { [code]: 'Xylophone' } })
  expect(await found('xylophone')).toHaveLength(1)
  await api.delete(`/schema/people/fields/${code}`)
  expect(await found('xylophone')).toEqual([])
  await api.put(`/schema/people/fields/${code}/restore`)
  expect(await found('xylophone')).toHaveLength(1)
})

it('the versions of resources and fields move with every change, and with no other', async () => {
  const before = await recordVersions(await workspace.scope())
  await made(workspace.api, 'tasks')
  const after = await recordVersions(await workspace.scope())
  expect({ ...after, tasks: 0 }).toEqual({ ...before, tasks: 0 })
  expect(after.tasks).toBeGreaterThan(before.tasks ?? 0)
  await workspace.field('notes', { name: 'Mood', type: 'text' })
  expect((await recordVersions(await workspace.scope())).fields).toBeGreaterThan(after.fields ?? 0)
  expect(await recordVersions(await workspace.scope())).toEqual(await recordVersions(await workspace.scope()))
})
