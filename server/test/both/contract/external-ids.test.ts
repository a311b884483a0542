import { describe, expect, it } from 'vitest'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const both = { salesforce: ['001A0000012xyz'], billing: ['42'] }
const sorted = { billing: ['42'], salesforce: ['001A0000012xyz'] }

async function create({ api }: TestWorkspace, external_ids: unknown, name = 'Acme') {
  return api.post('/companies?include=externalIds', { name, external_ids })
}

async function held({ api }: TestWorkspace, id: string) {
  return (await api.get(`/companies/${id}?include=externalIds`)).body.data.attributes.external_ids
}

describe.each(testedResources)('sync 8. External ids of %s', (type) => {
  const { label } = declared(type)

  it('are written on create, update and upsert, and read with include=externalIds', async () => {
    const { api } = await workspaceWithOwn()
    const made = await api.post(`/${type}?include=externalIds`, { [label]: 'One', external_ids: both })
    expect(made.status).toBe(201)
    expect(made.body.data.attributes.external_ids).toEqual(sorted)
    const { id } = made.body.data
    const read = (await api.get(`/${type}/${id}?include=externalIds`)).body.data.attributes
    expect(JSON.stringify(read.external_ids)).toBe(JSON.stringify(sorted))
    expect(Object.keys(read).slice(-2)).toEqual(['external_ids', 'custom_fields'])
    const listed = (await api.get(`/${type}?include=externalIds`)).body
    expect(listed.data[0].attributes).toEqual(read)
    expect(listed).not.toHaveProperty('included')
    const queried = await api.post(`/${type}/query`, { include: ['externalIds'] })
    expect(queried.body.data[0].attributes).toEqual(read)
    const changed = await api.patch(`/${type}/${id}?include=externalIds`, { external_ids: { erp: 'A-1' } })
    expect(changed.body.data.attributes.external_ids).toEqual({ ...sorted, erp: ['A-1'] })
    const match = { field: 'external_ids.erp', value: 'A-1' }
    const found = await api.post(`/${type}/upsert?include=externalIds`, { match, [label]: 'One' })
    expect([found.status, found.body.data.id]).toEqual([200, id])
    expect(found.body.data.attributes.external_ids).toEqual({ ...sorted, erp: ['A-1'] })
  })

  it('are not shown without it: records look as in part one', async () => {
    const { api } = await workspaceWithOwn()
    const made = await api.post(`/${type}`, { [label]: 'One', external_ids: both })
    const { id } = made.body.data
    const answers = [made, await api.get(`/${type}/${id}`), await api.patch(`/${type}/${id}`, { external_ids: null })]
    for (const { body } of answers) expect(body.data.attributes).not.toHaveProperty('external_ids')
    expect((await api.get(`/${type}?include=creator`)).body.data[0].attributes).not.toHaveProperty('external_ids')
    const bare = await api.get(`/${type}/${id}?include=externalIds`)
    expect(bare.body.data.attributes.external_ids).toEqual({})
  })
})

describe('sync 8. External ids: what is stored', () => {
  it('with fields, they are shown where they are both included and among the fields', async () => {
    const workspace = await workspaceWithOwn()
    await create(workspace, both)
    const attributes = async (query: string) => (await workspace.api.get(`/companies?${query}`)).body.data[0].attributes
    expect(await attributes('include=externalIds&fields=external_ids')).toEqual({ external_ids: sorted })
    expect(await attributes('include=externalIds&fields=name')).toEqual({ name: 'Acme' })
    expect(await attributes('fields=name,external_ids')).toEqual({ name: 'Acme' })
  })

  it('ids are trimmed and compared exactly, repeats fold, and ids are shown as added', async () => {
    const workspace = await workspaceWithOwn()
    const made = await create(workspace, { crm: [' b ', 'a', 'b', 'B'], z: 'one', 'a-b_1': ['ü'] })
    expect(made.status).toBe(201)
    const { id } = made.body.data
    expect(JSON.stringify(await held(workspace, id))).toBe('{"a-b_1":["ü"],"crm":["b","a","B"],"z":["one"]}')
    await workspace.api.patch(`/companies/${id}`, { external_ids: { crm: ['0', 'B', 'b', 'a'] } })
    expect((await held(workspace, id)).crm).toEqual(['b', 'a', 'B', '0'])
  })

  it('an omitted namespace stays; null or [] clears it; external_ids: null clears all', async () => {
    const workspace = await workspaceWithOwn()
    const made = await create(workspace, { a: ['1', '2'], b: '1', c: '1', d: '1' })
    const { id } = made.body.data
    const send = (external_ids: unknown) => workspace.api.patch(`/companies/${id}`, { external_ids })
    await send({ b: null, c: [] })
    expect(await held(workspace, id)).toEqual({ a: ['1', '2'], d: ['1'] })
    await send({ a: '2' })
    expect(await held(workspace, id)).toEqual({ a: ['2'], d: ['1'] })
    await send({})
    expect(await held(workspace, id)).toEqual({ a: ['2'], d: ['1'] })
    await send(null)
    expect(await held(workspace, id)).toEqual({})
  })

  it('a change moves updated_at; the same ids, also in a different order, are no change', async () => {
    const workspace = await workspaceWithOwn()
    const made = await create(workspace, { crm: ['a', 'b'] })
    const { id, attributes } = made.body.data
    const send = async (external_ids: unknown) =>
      (await workspace.api.put(`/companies/${id}`, { external_ids })).body.data.attributes.updated_at
    expect(await send({ crm: ['b', 'a', 'b'] })).toBe(attributes.updated_at)
    expect(await send({ erp: null })).toBe(attributes.updated_at)
    const moved = await send({ crm: ['b'] })
    expect(moved > attributes.updated_at).toBe(true)
    expect((await send(null)) > moved).toBe(true)
  })
})

describe('sync 8. External ids: wrong ones are 422', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['no object', ['a'], { external_ids: 'The external_ids must be an object of lists of ids by namespace, or null.' }],
    ['a number', { a: 7 }, { 'external_ids.a': 'The external_ids.a must be a string, a list of strings, or null.' }],
    ['a number in a list', { a: ['x', 7] }, { 'external_ids.a.1': 'The external_ids.a.1 must be a string.' }],
    ['an empty id', { a: ' ' }, { 'external_ids.a.0': 'The external_ids.a.0 must not be empty.' }],
    [
      'a long id',
      { a: ['x'.repeat(256)] },
      { 'external_ids.a.0': 'The external_ids.a.0 must not be greater than 255 characters.' },
    ],
    ['NUL', { a: ['x\0'] }, { 'external_ids.a.0': 'The external_ids.a.0 must not contain the NUL character.' }],
    ...['', 'A', '1a', 'a.b', 'ä', 'a'.repeat(41)].map((name): [string, unknown, Record<string, string>] => [
      `the namespace "${name}"`,
      { [name]: 'x' },
      {
        [`external_ids.${name}`]: `The external_ids have no namespace ${name}. A namespace has 1 to 40 of the characters a to z, 0 to 9, _ and -, and begins with a letter.`,
      },
    ]),
  ])('%s', async (_name, external_ids, expected) => {
    const workspace = await workspaceWithOwn()
    const { id } = (await create(workspace, undefined)).body.data
    const errors = Object.fromEntries(Object.entries(expected).map(([path, message]) => [path, [message]]))
    for (const answer of [
      await create(workspace, external_ids),
      await workspace.api.patch(`/companies/${id}`, { external_ids }),
    ]) {
      expect([answer.status, answer.body.errors]).toEqual([422, errors])
    }
  })

  it('the longest namespace and id are stored', async () => {
    const ids = { ['a'.repeat(40)]: ['💼'.repeat(255)] }
    expect((await create(await workspaceWithOwn(), ids)).body.data.attributes.external_ids).toEqual(ids)
  })

  it('at most 20 namespaces and 100 ids, also by several writes', async () => {
    const workspace = await workspaceWithOwn()
    const many = (size: number, prefix = 'x') => Array.from({ length: size }, (_, index) => `${prefix}${index}`)
    const namespaces = (size: number) => Object.fromEntries(many(size, 'n').map((name) => [name, 'one']))
    const errorsOf = async (external_ids: unknown) => (await create(workspace, external_ids)).body.errors.external_ids
    expect(await errorsOf(namespaces(21))).toEqual([
      'The external_ids of the record would have 21 namespaces. A record can have 20.',
    ])
    expect(await errorsOf({ a: many(60), b: many(41) })).toEqual([
      'The external_ids of the record would have 101 ids. A record can have 100.',
    ])
    const { id } = (await create(workspace, { ...namespaces(19), a: many(81) })).body.data
    const update = async (external_ids: unknown) =>
      (await workspace.api.patch(`/companies/${id}`, { external_ids })).status
    expect(await update({ b: 'one' })).toBe(422)
    expect(await update({ a: many(82) })).toBe(422)
    expect(await update({ a: many(80), n0: ['one', 'two'] })).toBe(200)
  })
})
