import { beforeAll, describe, expect, it } from 'vitest'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  const field = { name: 'Employers', type: 'record', target: 'companies', multiple: true }
  expect((await workspace.api.post('/schema/people/fields', field)).status).toBe(201)
})

let next = 0
const fresh = () => `new${next++}.example`

const byDomain = (value: string, create: object) => ({ match: { field: 'domains', value }, create })

async function companiesWith(domain: string) {
  const filter = { custom_fields: { domains: { $has_any: [domain] } } }
  return (await workspace.api.post('/companies/query', { filter })).body.data
}

describe('A record that is missing', () => {
  it('is created with the record that names it, with an entry before it', async () => {
    const domain = fresh()
    const start = (await workspace.api.get('/changes?cursor=now')).body.meta.next_cursor
    const create = { name: 'Acme', account_owner_id: { email: workspace.owner.email } }
    const answer = await workspace.api.post('/people', { name: 'Ada', company_id: byDomain(domain, create) })
    expect(answer.status, answer.text).toBe(201)
    const [company] = await companiesWith(domain)
    expect(company.attributes).toMatchObject({ name: 'Acme', account_owner_id: workspace.owner.id })
    expect(answer.body.data.attributes.company_id).toBe(company.id)
    const entries = (await workspace.api.get(`/changes?cursor=${start}`)).body.data
    expect(entries.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
      { kind: 'created', resource: 'companies', record_id: company.id },
      { kind: 'created', resource: 'people' },
    ])
  })

  it('is found where there is one, and stays as it is', async () => {
    const domain = fresh()
    const known = await workspace.api.post('/companies', { name: 'Known', custom_fields: { domains: [domain] } })
    const answer = await workspace.api.post('/people', {
      name: 'Ada',
      company_id: byDomain(domain.toUpperCase(), { name: 'Other' }),
    })
    expect(answer.body.data.attributes.company_id).toBe(known.body.data.id)
    expect(await companiesWith(domain)).toMatchObject([{ attributes: { name: 'Known' } }])
  })

  it('can be in links, values and updates, and is created once for the same value', async () => {
    const domain = fresh()
    const { id } = (await workspace.api.post('/people', { name: 'Ada' })).body.data
    const one = byDomain(domain, { name: 'One' })
    const updated = await workspace.api.patch(`/people/${id}`, {
      company_id: one,
      custom_fields: { employers: [one, one] },
    })
    expect(updated.status, updated.text).toBe(200)
    const [company, other] = await companiesWith(domain)
    expect(other).toBeUndefined()
    expect(updated.body.data.attributes.custom_fields.employers).toEqual([{ id: company.id, type: 'companies' }])
    const task = await workspace.api.post('/tasks?include=companies', {
      title: 'Call',
      company_ids: [one, { match: { field: 'external_ids.crm', value: domain }, create: { name: 'By id' } }],
    })
    expect(task.status, task.text).toBe(201)
    expect(task.body.included.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
      { name: 'One' },
      { name: 'By id' },
    ])
  })

  it('is named by later operations of a batch', async () => {
    const domain = fresh()
    const operations = ['A', 'B', 'C'].map((name) => {
      const company_id = byDomain(domain, { name: `Of ${name}` })
      return { op: 'create', resource: 'people', data: { name, company_id } }
    })
    const answer = await workspace.api.post('/batch', { operations })
    expect(answer.status, answer.text).toBe(200)
    expect(await companiesWith(domain)).toMatchObject([{ attributes: { name: 'Of A' } }])
    const people = await workspace.api.post('/people/query', {
      filter: { company: { custom_fields: { domains: { $has_any: [domain] } } } },
    })
    expect(people.body.meta.total).toBe(3)
  })

  it('is not created if the write is refused, also within a batch', async () => {
    const [first, second] = [fresh(), fresh()]
    const wrong = await workspace.api.post('/people', {
      name: 'Ada',
      company_id: byDomain(first, { name: 'Acme' }),
      custom_fields: { job_title: 4 },
    })
    expect(wrong.status).toBe(422)
    const batch = await workspace.api.post('/batch', {
      operations: [
        { op: 'create', resource: 'people', data: { name: '', company_id: byDomain(second, { name: 'Not' }) } },
        { op: 'create', resource: 'people', data: { name: 'B', company_id: byDomain(second, { name: 'This' }) } },
      ],
    })
    expect(batch.status, batch.text).toBe(207)
    expect(await companiesWith(first)).toEqual([])
    expect(await companiesWith(second)).toMatchObject([{ attributes: { name: 'This' } }])
  })

  it('is created once by writers at the same time', async () => {
    const domain = fresh()
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        workspace.api.post('/people', { name: `P${index}`, company_id: byDomain(domain, { name: 'Acme' }) }),
      ),
    )
    const ids = new Set(all.map(({ body }) => body.data.attributes.company_id))
    expect(ids.size).toBe(1)
    expect(await companiesWith(domain)).toHaveLength(1)
  })
})

it('A merge creates what its attributes name, and nothing if it is refused', async () => {
  const { api } = workspace
  const [winner, loser] = await Promise.all(
    ['W', 'L'].map(async (name) => (await api.post('/people', { name })).body.data.id),
  )
  const domain = fresh()
  const attributes = (name: string) => ({ company_id: byDomain(domain, { name }) })
  const refused = await api.put(`/people/${winner}/merge`, { loser_ids: [loser], attributes: attributes('') })
  expect(Object.keys(refused.body.errors)).toEqual(['attributes.company_id.create.name'])
  const unknown = { loser_ids: [winner], attributes: attributes('Acme') }
  expect((await api.put(`/people/${winner}/merge`, unknown)).status).toBe(422)
  expect(await companiesWith(domain)).toEqual([])
  const merged = await api.put(`/people/${winner}/merge`, { loser_ids: [loser], attributes: attributes('Acme') })
  expect(merged.status, merged.text).toBe(200)
  expect(await companiesWith(domain)).toMatchObject([{ id: merged.body.data.attributes.company_id }])
})

describe('A problem with it', () => {
  it.each([
    ['its attributes', { name: '' }, 'company_id.create.name'],
    ['a missing name', {}, 'company_id.create.name'],
    ['an unknown key', { name: 'A', nam: 'B' }, 'company_id.create.nam'],
    ['its values', { name: 'A', custom_fields: { icp: 'x' } }, 'company_id.create.custom_fields.icp'],
    [
      'other values than that of the match',
      { name: 'A', custom_fields: { domains: ['o.example'] } },
      'company_id.create.custom_fields.domains',
    ],
    [
      'what it names',
      { name: 'A', account_owner_id: '01k9zq3v5w8x0y2z4a6b8c0d1e' },
      'company_id.create.account_owner_id',
    ],
    ['another form', 'Acme', 'company_id.create'],
  ])('is reported at its path: %s', async (_, create, path) => {
    const company_id = { match: { field: 'domains', value: fresh() }, create }
    const answer = await workspace.api.post('/people', { name: 'Ada', company_id })
    expect(answer.status, answer.text).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([path])
  })

  it('is a create within a create', async () => {
    const create = { name: 'O', company_id: byDomain(fresh(), { name: 'A' }) }
    const field = { name: 'Deals', type: 'record', target: 'opportunities' }
    expect((await workspace.api.post('/schema/people/fields', field)).status).toBe(201)
    const deals = { match: { field: 'external_ids.crm', value: 'o1' }, create }
    const answer = await workspace.api.post('/people', { name: 'Ada', custom_fields: { deals } })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual(['custom_fields.deals.create.company_id.create'])
  })

  it('is a token that may not create', async () => {
    const { id } = (await workspace.api.post('/people', { name: 'Ada' })).body.data
    const token = await workspace.token({ abilities: ['read', 'update'] })
    const company_id = byDomain(fresh(), { name: 'A' })
    const answer = await token.patch(`/people/${id}`, { company_id })
    expect(answer.status, answer.text).toBe(403)
    expect(answer.body.message).toContain('"create"')
  })
})
