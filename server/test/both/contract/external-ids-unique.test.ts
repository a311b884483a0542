import { describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'

const AT_ONCE = 30
const crm = (...ids: string[]) => ({ external_ids: { crm: ids } })

describe.each(testedResources)('sync 8. External ids of %s are unique among live records', (type) => {
  const { label, one } = declared(type)

  it('taken: 422 on external_ids.<namespace>.<index>, naming the holder', async () => {
    const { api } = await workspaceWithOwn()
    const holder = (await api.post(`/${type}`, { [label]: 'Holder', ...crm('a', 'b') })).body.data.id
    const message = (index: number, id: string) => [
      `The external_ids.crm.${index} is already taken: the ${one} "Holder" (${holder}) has the id ${id}.`,
    ]
    const made = await api.post(`/${type}`, { [label]: 'x', ...crm('new', 'new', 'b', 'a') })
    expect([made.status, made.body.errors]).toEqual([
      422,
      { 'external_ids.crm.2': message(2, 'b'), 'external_ids.crm.3': message(3, 'a') },
    ])
    const other = (await api.post(`/${type}`, { [label]: 'x', ...crm('A') })).body.data.id
    const changed = await api.patch(`/${type}/${other}`, { external_ids: { crm: 'a' } })
    expect(changed.body.errors).toEqual({ 'external_ids.crm.0': message(0, 'a') })
    const match = { field: 'external_ids.crm', value: 'fresh' }
    const upserted = await api.post(`/${type}/upsert`, { [label]: 'x', match, ...crm('fresh', 'b') })
    expect(upserted.body.errors).toEqual({ 'external_ids.crm.1': message(1, 'b') })
    expect((await api.get(`/${type}`)).body.meta.total).toBe(2)
  })
})

describe('sync 8. External ids are unique per workspace, resource, namespace and id', () => {
  it('another workspace, resource or namespace may have the same id, and so may the record itself', async () => {
    const { api } = await workspaceWithOwn()
    const other = await workspaceWithOwn()
    const made = await api.post('/companies', { name: 'One', external_ids: { crm: '1', erp: '1' } })
    expect(made.status).toBe(201)
    expect((await api.post('/people', { name: 'One', ...crm('1') })).status).toBe(201)
    expect((await api.post('/companies', { name: 'Two', external_ids: { billing: '1' } })).status).toBe(201)
    expect((await other.api.post('/companies', { name: 'One', ...crm('1') })).status).toBe(201)
    const again = await api.patch(`/companies/${made.body.data.id}`, crm('1', '2'))
    expect(again.status).toBe(200)
  })
})

describe('sync 8. Upserts and creates that claim one id are serialised like unique values', () => {
  const tally = (answers: readonly Answered[]) =>
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, own]) => [status, own.length]).sort()

  it('of many creates of one id, one succeeds', async () => {
    const { api } = await workspaceWithOwn()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        const ids = index % 2 === 0 ? crm('one', `own-${index}`) : crm(`own-${index}`, 'one')
        return api.post('/companies', { name: `Number ${index}`, ...ids })
      }),
    )
    expect(tally(answers)).toEqual([
      [201, 1],
      [422, AT_ONCE - 1],
    ])
  })

  it('of many upserts of one id, one creates the record and the others update it', async () => {
    const { api } = await workspaceWithOwn()
    const match = { field: 'external_ids.crm', value: 'one' }
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => api.post('/people/upsert', { match, name: `Number ${index}` })),
    )
    expect(tally(answers)).toEqual([
      [200, AT_ONCE - 1],
      [201, 1],
    ])
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect((await api.get('/people')).body.meta.total).toBe(1)
  })

  it('creates, upserts and updates together leave one holder', async () => {
    const { api } = await workspaceWithOwn()
    const existing = (await api.post('/companies', { name: 'Existing' })).body.data.id
    const match = { field: 'external_ids.crm', value: 'one' }
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => {
        if (index % 3 === 0) return api.post('/companies/upsert', { match, name: `Number ${index}` })
        if (index % 3 === 1) return api.post('/companies', { name: `Number ${index}`, ...crm('one') })
        return api.patch(`/companies/${existing}`, crm('one'))
      }),
    )
    for (const { status } of answers) expect([200, 201, 422]).toContain(status)
    const { data } = (await api.get('/companies?include=externalIds&per_page=100')).body
    const holders = data.filter((record: { attributes: { external_ids: object } }) => {
      return JSON.stringify(record.attributes.external_ids) === '{"crm":["one"]}'
    })
    expect(holders).toHaveLength(1)
  })
})
