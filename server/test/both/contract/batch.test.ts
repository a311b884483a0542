import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, told } from '../changes/feed.ts'

let workspace: TestWorkspace
let api: Api

beforeAll(async () => {
  workspace = await newWorkspace()
  api = workspace.api
})

const company = (name: string, domain: string) => ({ name, custom_fields: { domains: [domain] } })
const creating = (name: string, domain: string) => ({ op: 'create', data: company(name, domain) })

describe('sync 4. A batch', () => {
  it('of mixed operations on several resources: one result for each, in their order', async () => {
    const old = (await api.post('/people', { name: 'Old', custom_fields: { job_title: 'CEO' } })).body.data
    const task = (await api.post('/tasks', { title: 'Done' })).body.data
    const match = { field: 'domains', value: 'acme.com' }
    const { status, body, text } = await api.post('/batch', {
      operations: [
        { op: 'upsert', resource: 'companies', lid: 'acme', match, data: { name: 'Acme' } },
        { op: 'create', resource: 'people', data: { name: 'Ada', company_id: { lid: 'acme' } } },
        {
          op: 'update',
          resource: 'people',
          id: old.id,
          if_match: old.attributes.updated_at,
          data: { custom_fields: { job_title: null } },
        },
        { op: 'delete', resource: 'tasks', id: task.id },
      ],
    })
    expect(status, text).toBe(200)
    expect(body.meta).toEqual({ total: 4, succeeded: 4, failed: 0, atomic: false, dry_run: false })
    const [acme, ada, changed, deleted] = body.data
    expect(acme).toEqual({
      index: 0,
      op: 'upsert',
      status: 201,
      id: acme.id,
      updated_at: acme.updated_at,
      created: true,
    })
    const person = (await api.get(`/people/${ada.id}`)).body.data
    expect(person.attributes).toMatchObject({ company_id: acme.id, updated_at: ada.updated_at })
    expect(changed).toMatchObject({ index: 2, op: 'update', status: 200, id: old.id, created: false })
    expect(deleted).toEqual({ index: 3, op: 'delete', status: 204, id: task.id, updated_at: null, created: false })
    expect((await api.get(`/tasks/${task.id}`)).status).toBe(404)
  })

  it('207 if at least one failed, with the status, message and paths of the single request', async () => {
    const one = (await api.post('/companies', company('Held', 'held.example'))).body.data
    const { status, body } = await api.post('/companies/batch', {
      operations: [
        creating('Fine', 'fine.example'),
        creating('', 'held.example'),
        { op: 'update', id: one.id, if_match: '2020-01-01T00:00:00.000Z', data: { name: 'Never' } },
        { op: 'delete', id: '01kacm7krp9mcrqeke4h6bxpg9' },
        { op: 'upsert', match: { field: 'domains', value: 'held.example' }, if_none_match: '*', data: { name: 'No' } },
        { op: 'create', data: 7 },
      ],
    })
    expect(status).toBe(207)
    expect(body.data.map((result: { status: number }) => result.status)).toEqual([201, 422, 412, 404, 412, 422])
    const single = await api.post('/companies', creating('', 'held.example').data)
    expect(body.data[1]).toEqual({ index: 1, op: 'create', status: 422, ...single.body })
    expect(body.data[2].updated_at).toBe(one.attributes.updated_at)
    expect(body.data[4].matches).toEqual([one.id])
    expect(body.meta).toMatchObject({ succeeded: 1, failed: 5 })
  })

  it('return: record shows the sync form, as each operation leaves the record', async () => {
    const { body } = await api.post('/batch', {
      operations: [
        {
          op: 'create',
          resource: 'companies',
          lid: 'c',
          data: { ...company('First', 'r.example'), external_ids: { crm: '1' } },
        },
        { op: 'update', resource: 'companies', id: { lid: 'c' }, data: { name: 'Second' } },
        { op: 'create', resource: 'notes', data: { title: 'N', company_ids: [{ lid: 'c' }] } },
        { op: 'delete', resource: 'companies', id: { lid: 'c' } },
      ],
      return: 'record',
    })
    const [first, second, note, deleted] = body.data
    expect(first.data.attributes).toMatchObject({ name: 'First', external_ids: { crm: ['1'] } })
    expect(second.data.attributes.name).toBe('Second')
    expect(note.data.relationships.companies.data).toEqual([{ id: first.id, type: 'companies' }])
    expect(deleted.data).toBeNull()
  })

  it('of more than one chunk: later ones see what earlier ones did, and a lid reaches across', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => ({
      op: 'create',
      resource: 'people',
      data: { name: `Row ${index}`, company_id: { lid: 'boss' } },
    }))
    const boss = { op: 'create', resource: 'companies', lid: 'boss', data: { name: 'Boss' } }
    const { status, body } = await api.post('/batch', { operations: [boss, ...rows] })
    expect(status).toBe(200)
    const last = (await api.get(`/people/${body.data[150].id}`)).body.data
    expect(last.attributes).toMatchObject({ name: 'Row 149', company_id: body.data[0].id })
  })
})

describe('sync 4. Errors in the batch itself are 422 for the whole batch, nothing done', () => {
  it.each([
    ['no list', { operations: {} }, 'operations'],
    ['no operations', { operations: [] }, 'operations'],
    ['an unknown op', { operations: [{ op: 'move', data: {} }] }, 'operations.0.op'],
    ['an unknown key', { operations: [{ ...creating('A', 'k.example'), ids: 1 }] }, 'operations.0.ids'],
    [
      'a resource in the path and in the operation',
      { operations: [{ op: 'create', resource: 'companies', data: {} }] },
      'operations.0.resource',
    ],
    ['an unknown key of the batch', { operations: [creating('A', 'k.example')], atomc: true }, 'atomc'],
    [
      'a lid twice',
      {
        operations: [
          { ...creating('A', 'k.example'), lid: 'x' },
          { ...creating('B', 'l.example'), lid: 'x' },
        ],
      },
      'operations.1.lid',
    ],
    ['a malformed lid', { operations: [{ ...creating('A', 'k.example'), lid: 'a b' }] }, 'operations.0.lid'],
    ['no id', { operations: [{ op: 'delete' }] }, 'operations.0.id'],
    ['another return', { operations: [creating('A', 'k.example')], return: 'all' }, 'return'],
  ])('%s', async (_what, body, path) => {
    expect(Object.keys(await problemsOf(api.post('/companies/batch', body)))).toEqual([path])
  })

  it('on /v1/batch each operation names its resource', async () => {
    expect(Object.keys(await problemsOf(api.post('/batch', { operations: [creating('A', 'k.example')] })))).toEqual([
      'operations.0.resource',
    ])
    const many = { operations: Array.from({ length: 1001 }, () => creating('A', 'k.example')) }
    expect(Object.keys(await problemsOf(api.post('/companies/batch', many)))).toEqual(['operations'])
  })

  it('needs the abilities of all operations, else 403 for the whole batch', async () => {
    const narrow = await workspace.token({ abilities: ['create'] })
    const operations = [creating('A', 'narrow.example'), { op: 'delete', id: '01kacm7krp9mcrqeke4h6bxpg9' }]
    expect((await narrow.post('/companies/batch', { operations, unknown: 1 })).status).toBe(403)
    expect((await narrow.post('/companies/batch', { operations: operations.slice(0, 1) })).status).toBe(200)
  })
})

describe('sync 4. Atomic', () => {
  it('all or none: every problem by its path, and nothing stored', async () => {
    const one = (await api.post('/companies', company('Atom', 'atom.example'))).body.data
    const cursor = await now(workspace)
    const errors = await problemsOf(
      api.post('/batch', {
        atomic: true,
        operations: [
          { op: 'create', resource: 'companies', lid: 'new', data: company('Fine', 'fine2.example') },
          { op: 'create', resource: 'companies', lid: 'bad', data: company('', 'fine3.example') },
          { op: 'update', resource: 'companies', id: '01kacm7krp9mcrqeke4h6bxpg9', data: {} },
          { op: 'update', resource: 'companies', id: one.id, if_match: '2020-01-01T00:00:00.000Z', data: {} },
          { op: 'create', resource: 'people', data: { name: 'P', company_id: { lid: 'bad' } } },
          { op: 'create', resource: 'people', data: { name: 'Q', company_id: { lid: 'new' } } },
        ],
      }),
    )
    expect(Object.keys(errors)).toEqual([
      'operations.1.data.name',
      'operations.2.id',
      'operations.3.if_match',
      'operations.4.data.company_id',
    ])
    expect((await follow(workspace, cursor)).entries).toEqual([])
  })

  it('its entries in the feed are consecutive, in the order of the operations', async () => {
    const cursor = await now(workspace)
    const operations = [
      { op: 'create', resource: 'companies', lid: 'x', data: company('X', 'feed-x.example') },
      { op: 'create', resource: 'people', data: { name: 'In X', company_id: { lid: 'x' } } },
      { op: 'update', resource: 'companies', id: { lid: 'x' }, data: { name: 'X2' } },
    ]
    const { status, body } = await api.post('/batch', { atomic: true, operations })
    expect([status, body.meta.atomic]).toEqual([200, true])
    const { entries } = await follow(workspace, cursor)
    expect(entries.map(told)).toEqual(['created companies', 'created people', 'updated companies name'])
    const [first = 0, ...rest] = entries.map(({ attributes }) => attributes.sequence ?? 0)
    expect(rest).toEqual([first + 1, first + 2])
    expect(entries.at(-1)?.attributes.at).toBe(body.data[2].updated_at)
  })
})

describe('sync 4. dry_run: all checks, nothing stored', () => {
  it('the same response, with null ids for what would be created, and uniqueness among the operations', async () => {
    const cursor = await now(workspace)
    const operations = [
      { ...creating('Dry', 'dry.example'), lid: 'dry' },
      creating('Again', 'dry.example'),
      { op: 'update', id: { lid: 'dry' }, data: { name: 'Drier' } },
      { op: 'delete', id: { lid: 'dry' } },
    ]
    const headers = { 'Idempotency-Key': 'dry' }
    const { status, body } = await api.post(
      '/companies/batch',
      { operations, dry_run: true, return: 'record' },
      { headers },
    )
    expect(status).toBe(207)
    expect(body.data.map((result: { status: number }) => result.status)).toEqual([201, 422, 200, 204])
    const [created, , updated, deleted] = body.data
    expect([created.id, created.data.id, body.meta.dry_run]).toEqual([null, null, true])
    expect([updated.id, updated.data.id, updated.data.attributes.name, deleted.id]).toEqual([null, null, 'Drier', null])
    expect((await follow(workspace, cursor)).entries).toEqual([])
    const real = await api.post('/companies/batch', { operations: operations.slice(0, 1) }, { headers })
    expect([real.status, real.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  it('errors name the operation of a record that is not stored, and not an id that nobody can find', async () => {
    const operations = [
      { ...creating('New', 'new.example'), lid: 'new' },
      creating('Other', 'new.example'),
      { op: 'delete', id: { lid: 'new' } },
      { op: 'update', id: { lid: 'new' }, data: { name: 'Gone' } },
    ]
    const taken = 'The Domains value new.example is already taken by another record (operations.0).'
    const gone = 'No company with the ID operations.0 exists in this workspace.'
    const dry = await api.post('/companies/batch', { operations, dry_run: true })
    expect(dry.body.data[1].errors).toEqual({ 'custom_fields.domains': [taken] })
    expect(dry.body.data[3].message).toBe(gone)
    const atomic = await api.post('/companies/batch', { operations, atomic: true })
    expect(atomic.body.errors).toEqual({
      'operations.1.data.custom_fields.domains': [taken],
      'operations.3.id': [gone],
    })
  })
})
