import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../src/records/trash/restore.ts'
import { type Sql, sql } from '../../src/storage/engines/sql.ts'
import type { Answered } from '../api.ts'
import { declared, everyResource, workspaceWithOwn } from '../own-resource.ts'
import { testedResources } from '../run-length.ts'
import { numberOf } from '../stored-rows.ts'
import { refusalOf } from '../test-runtime.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, readAll, relatedRecords, relatedTo } from './full-records.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'
const LONG = 'x'.repeat(256)

const tables = ['links', 'record_counts', 'custom_fields', 'audit_log', 'merges']

/** Every row that a workspace has of its records, and all that the service shows of them. */
async function stateOf(workspace: TestWorkspace, ids: Ids): Promise<unknown> {
  const { db } = workspace.runtime.engine
  const rows: Record<string, string[]> = {}
  const keep = async (name: string, from: Sql<unknown>) => {
    const found = await sql`select * from ${from}`.all(db)
    rows[name] = found.map((row) => JSON.stringify(row)).sort()
  }
  for (const table of tables) await keep(table, sql`${sql.table(table)} where workspace_id = ${workspace.id}`)
  for (const table of ['records', 'field_values']) {
    await keep(table, sql`${sql.table(table)} where workspace = ${numberOf(workspace.id)}`)
  }
  const shown: Record<string, unknown> = {}
  for (const type of everyResource) {
    const { label } = declared(type)
    shown[type] = [
      (await readAll(workspace, type, ids[type])).text,
      (await workspace.api.get(`/${type}?sort=${label}`)).text,
      (await workspace.api.get(`/${type}?filter[${label}][$contains]=one of`)).body.meta.total,
      (await workspace.api.get(`/${type}?filter[${label}][$contains]=new`)).body.meta.total,
    ]
  }
  return { rows, shown }
}

/** Bodies that are right but for one thing, and where the problem is told. */
function wrongBodies(type: ResourceName, ids: Ids, sector = 'new'): [at: string, body: Record<string, unknown>][] {
  const { label, references, links } = declared(type)
  const right = { [label]: 'New', ...relatedTo(type, ids), custom_fields: { sector, sizes: ['b'] } }
  const wrong: [string, Record<string, unknown>][] = [
    [label, { ...right, [label]: LONG }],
    ['nonsense', { ...right, nonsense: 1 }],
    ['custom_fields', { ...right, custom_fields: { ...right.custom_fields, nonsense: 1 } }],
    ['custom_fields.sector', { ...right, custom_fields: { ...right.custom_fields, sector: LONG } }],
    ['custom_fields.sizes.1', { ...right, custom_fields: { sector, sizes: ['b', 'nonsense'] } }],
    ['custom_fields.sector', { ...right, custom_fields: { sector: 'TAKEN', sizes: ['a'] } }],
  ]
  for (const key of Object.keys(references)) wrong.push([key, { ...right, [key]: NOWHERE }])
  for (const [key, { to }] of Object.entries(links)) {
    wrong.push([`${key}.1`, { ...right, [key]: [ids[to], NOWHERE] }])
  }
  return wrong
}

describe('Law 4. All or nothing: a refused write has stored nothing at all', () => {
  let workspace: TestWorkspace
  let ids: Ids
  beforeAll(async () => {
    workspace = await workspaceWithOwn()
    for (const type of everyResource) {
      await workspace.field(type, { name: 'Sector', type: 'text', unique: true })
      await workspace.field(type, { name: 'Sizes', type: 'multi-select', options: ['a', 'b'] })
      const other = { [declared(type).label]: 'Other', custom_fields: { sector: 'taken' } }
      expect((await workspace.api.post(`/${type}`, other)).status).toBe(201)
    }
    ids = await relatedRecords(workspace, { sector: 'mine', sizes: ['a'] })
  })

  /** Writes that are refused with one status, and where the problem of each is told. */
  type Refused = { status: number; writes: readonly (() => Promise<Answered>)[]; at?: readonly string[] }

  /** The state is read once before all writes and once after them, because that takes far longer than the writes. */
  async function expectNothingStored(...groups: readonly Refused[]) {
    const before = await stateOf(workspace, ids)
    for (const { status, writes, at } of groups) {
      for (const [index, write] of writes.entries()) {
        const answer = await write()
        expect(answer.status, answer.text).toBe(status)
        if (at) expect(Object.keys(answer.body.errors)).toEqual([at[index]])
      }
    }
    expect(await stateOf(workspace, ids)).toEqual(before)
  }

  it.each(testedResources)('%s: a create, an update or an upsert that is wrong in one thing', async (type) => {
    const { api } = workspace
    const found = { field: 'sector', value: 'mine' }
    const wrong = wrongBodies(type, ids)
    const paths = wrong.map(([at]) => at)
    const each = (write: (body: object) => Promise<Answered>, bodies = wrong) => ({
      status: 422,
      writes: bodies.map(
        ([, body]) =>
          () =>
            write(body),
      ),
      at: paths,
    })
    await expectNothingStored(
      each((body) => api.post(`/${type}`, body)),
      each((body) => api.put(`/${type}/${ids[type]}`, body)),
      each((body) => api.patch(`/${type}/${ids[type]}`, body)),
      // An upsert must leave the value by which it found the record.
      each((body) => api.post(`/${type}/upsert`, { ...body, match: found }), wrongBodies(type, ids, found.value)),
    )
  })

  it.each(testedResources)('%s: a write whose body is right and whose parameters are not', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const custom_fields = { sector: 'new', sizes: ['b'] }
    const body = { [label]: 'New', ...relatedTo(type, ids), custom_fields }
    const made = { ...body, match: { field: 'sector', value: 'new' } }
    const found = { [label]: 'New', match: { field: 'sector', value: 'mine' } }
    const parameters = ['include=nonsense', 'fields=nonsense', 'nonsense=1', 'include[x][y]=1', 'fields=%ff']
    const writes = parameters.flatMap((wrong) => [
      () => api.post(`/${type}?${wrong}`, body),
      () => api.put(`/${type}/${ids[type]}?${wrong}`, body),
      () => api.delete(`/${type}/${ids[type]}?${wrong}`),
      () => api.post(`/${type}/upsert?${wrong}`, made),
      () => api.post(`/${type}/upsert?${wrong}`, found),
    ])
    await expectNothingStored({ status: 422, writes })
  })

  it.each(testedResources)('%s: an upsert that more than one record answers to', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    await workspace.updateField(type, 'sector', { unique: false })
    for (const name of ['Twin', 'Twin']) {
      await api.post(`/${type}`, { [label]: name, custom_fields: { sector: 'twin' } })
    }
    await workspace.updateField(type, 'sector', { unique: true })
    const body = { [label]: 'New', match: { field: 'sector', value: 'twin' }, custom_fields: { sizes: ['a'] } }
    const wrong = [{ ...body, custom_fields: { sizes: ['z'] } }]
    if (Object.keys(relatedTo(type, ids)).length > 0) {
      wrong.push({ ...body, ...relatedTo(type, { ...ids, users: NOWHERE, companies: NOWHERE, people: NOWHERE }) })
    }
    await expectNothingStored(
      { status: 409, writes: [() => api.post(`/${type}/upsert`, body)] },
      { status: 422, writes: wrong.map((one) => () => api.post(`/${type}/upsert`, one)) },
    )
  })

  it.each(testedResources)('%s: a restore or an undone merge that meets a value taken meanwhile', async (type) => {
    const { api } = workspace
    const resource = declared(type)
    const make = async (name: string, sector: string | null) =>
      (await api.post(`/${type}`, { [resource.label]: name, custom_fields: { sector } })).body.data.id
    const [winner, loser, deleted] = [
      await make('Winner', null),
      await make('Loser', 'lost'),
      await make('Gone', 'gone'),
    ]
    const chosen = { winner_id: winner, loser_ids: [loser], attributes: { custom_fields: { sector: null } } }
    const { merge_id } = await mergeRecords(await workspace.scope(), resource, chosen)
    await api.delete(`/${type}/${deleted}`)
    for (const sector of ['LOST', 'Gone']) await make('Taker', sector)
    const before = await stateOf(workspace, ids)
    const scope = await workspace.scope()
    for (const work of [
      () => undoMerge(scope, merge_id),
      () => restoreRecord(scope, resource, { id: loser }),
      () => restoreRecord(scope, resource, { id: deleted }),
      () => mergeRecords(scope, resource, { ...chosen, loser_ids: [deleted] }),
      () => mergeRecords(scope, resource, { winner_id: winner, loser_ids: [ids[type]], attributes: { nonsense: 1 } }),
    ]) {
      expect(await refusalOf(work())).toHaveLength(1)
    }
    expect(await stateOf(workspace, ids)).toEqual(before)
  })

  it.each(testedResources)('%s: a write to a record that is not there, or that the token may not do', async (type) => {
    const reader = await workspace.token({ abilities: ['read'] })
    const { label } = declared(type)
    const absent = [
      () => workspace.api.put(`/${type}/${NOWHERE}`, { [label]: 'New' }),
      () => workspace.api.delete(`/${type}/${NOWHERE}`),
    ]
    const forbidden = [
      () => reader.post(`/${type}`, { [label]: 'New' }),
      () => reader.put(`/${type}/${ids[type]}`, { [label]: 'New' }),
      () => reader.patch(`/${type}/${ids[type]}`, { [label]: 'New' }),
      () => reader.delete(`/${type}/${ids[type]}`),
      () => reader.post(`/${type}/upsert`, { [label]: 'New', match: { field: 'sector', value: 'mine' } }),
    ]
    await expectNothingStored({ status: 404, writes: absent }, { status: 403, writes: forbidden })
  })
})
