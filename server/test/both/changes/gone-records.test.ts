import { registry } from '@kith/contract/registry'
import { beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { deleteForGood } from '../../../src/storage/tables/expiry.ts'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now } from './feed.ts'

const held = { crm: ['1', '2'], billing: ['a'] }

let workspace: TestWorkspace
let cursor: string
let winner: string
let [loser, deleted] = ['', '']

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  winner = (await made(api, 'companies', { external_ids: { crm: '0' } })).id
  loser = (await made(api, 'companies', { external_ids: held })).id
  deleted = (await made(api, 'companies', { external_ids: { crm: '3' } })).id
  cursor = await now(workspace)
  await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
  await gone(api, 'companies', deleted)
  // Free for others, and gone from there: each entry has its own.
  await made(api, 'companies', { external_ids: { crm: '3' } })
})

const lastIds = async (kind: string) => {
  const { entries } = await follow(workspace, cursor, `kind=${kind}`)
  return entries.map(({ attributes }) => [attributes.record_id, attributes.external_ids])
}

const rows = () =>
  sql<string>`select distinct record_id from external_ids where workspace_id = ${workspace.id}`.column(
    workspace.runtime.engine.db,
  )

describe('sync 1. Entries of records that are gone have the last external ids', () => {
  it('a merge and a deletion, also if another record holds them now', async () => {
    expect(await lastIds('merged')).toEqual([[loser, held]])
    expect(await lastIds('deleted')).toEqual([[deleted, { crm: ['3'] }]])
    const { entries } = await follow(workspace, cursor, 'kind=updated')
    expect(entries.at(-1)?.attributes.external_ids).toEqual({ crm: ['0', '1', '2'], billing: ['a'] })
  })

  it('also when the records are purged, with their external ids', async () => {
    expect(await rows()).toEqual(expect.arrayContaining([loser, deleted]))
    const before = new Date(Date.now() + 1000).toISOString()
    await deleteForGood(workspace.runtime.engine, registry.companies.number, {
      workspace: (await workspace.scope()).workspace,
      ids: [loser, deleted],
      before,
    })
    const left = await rows()
    expect(left).toHaveLength(2)
    expect(left).toContain(winner)
    expect(await lastIds('merged')).toEqual([[loser, held]])
    expect(await lastIds('deleted')).toEqual([[deleted, { crm: ['3'] }]])
  })
})
