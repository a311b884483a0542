import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { externalIdsOf } from '../../../src/records/external-ids.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const companies = registry.companies

async function create({ api }: TestWorkspace, name: string, external_ids: unknown): Promise<string> {
  const { status, body } = await api.post('/companies', { name, external_ids })
  expect(status).toBe(201)
  return body.data.id
}

async function held({ api }: TestWorkspace, id: string) {
  return (await api.get(`/companies/${id}?include=externalIds`)).body.data?.attributes.external_ids
}

async function holderOf({ api }: TestWorkspace, value: string) {
  const match = { field: 'external_ids.crm', value }
  const { status, body } = await api.post('/companies/upsert', { match, name: 'Found' })
  expect(status).toBe(200)
  return body.data.id
}

async function merge(workspace: TestWorkspace, winner_id: string, loser_ids: string[], attributes?: object) {
  return (await mergeRecords(await workspace.scope(), companies, { winner_id, loser_ids, attributes })).merge_id
}

describe('sync 8. The external ids of a deleted record', () => {
  it('are free for other records; the record gets them back on restore', async () => {
    const workspace = await newWorkspace()
    const ids = { crm: ['b', 'a'], erp: ['7'] }
    const id = await create(workspace, 'Gone', ids)
    await workspace.api.delete(`/companies/${id}`)
    const scope = await workspace.scope()
    expect((await externalIdsOf(scope, [id])).get(id)).toEqual(ids)
    await scope.engine.numberChanges(workspace.id)
    const last = sql<string>`select entry from changes where workspace_id = ${workspace.id} and kind = 'deleted'`
    expect(await last.value(scope.db)).toContain(`"external_ids":${JSON.stringify(ids)}`)
    const other = await create(workspace, 'Other', { crm: 'a' })
    await workspace.api.patch(`/companies/${other}`, { external_ids: null })
    await restoreRecord(await workspace.scope(), companies, { id })
    expect(await held(workspace, id)).toEqual(ids)
    expect(await holderOf(workspace, 'a')).toBe(id)
  })

  it('taken meanwhile: 422 on restore at external_ids.<namespace>, naming the holder', async () => {
    const workspace = await newWorkspace()
    const id = await create(workspace, 'Gone', { crm: ['a'] })
    await workspace.api.delete(`/companies/${id}`)
    const other = await create(workspace, 'Other', { crm: 'a' })
    const message = `The crm id a is held by the company "Other" (${other}) now. Change it there, or delete that record, then restore this one.`
    await expect(restoreRecord(await workspace.scope(), companies, { id })).rejects.toMatchObject({
      reason: { kind: 'invalid', issues: [{ path: 'external_ids.crm', message }] },
    })
    expect((await workspace.api.get(`/companies/${id}`)).status).toBe(404)
    await workspace.api.delete(`/companies/${other}`)
    await restoreRecord(await workspace.scope(), companies, { id })
    expect(await held(workspace, id)).toEqual({ crm: ['a'] })
  })
})

describe('sync 8. A merge moves external ids to the winner, and undoing it moves them back', () => {
  it('the oldest loser first; an upsert by them reaches the winner', async () => {
    const workspace = await newWorkspace()
    const winner = await create(workspace, 'Winner', { crm: ['w'] })
    const first = await create(workspace, 'First', { crm: ['z'], erp: ['1'] })
    const second = await create(workspace, 'Second', { crm: ['a'] })
    const merge_id = await merge(workspace, winner, [second, first])
    expect(await held(workspace, winner)).toEqual({ crm: ['w', 'z', 'a'], erp: ['1'] })
    expect(await holderOf(workspace, 'a')).toBe(winner)
    await undoMerge(await workspace.scope(), merge_id)
    expect(await held(workspace, winner)).toEqual({ crm: ['w'] })
    expect(await held(workspace, first)).toEqual({ crm: ['z'], erp: ['1'] })
    expect(await held(workspace, second)).toEqual({ crm: ['a'] })
    expect(await holderOf(workspace, 'a')).toBe(second)
  })

  it('a winner without any takes them, and moves its updated_at', async () => {
    const workspace = await newWorkspace()
    const winner = await create(workspace, 'Same', undefined)
    const before = (await workspace.api.get(`/companies/${winner}`)).body.data.attributes.updated_at
    await merge(workspace, winner, [await create(workspace, 'Same', { crm: ['l'] })])
    const after = (await workspace.api.get(`/companies/${winner}?include=externalIds`)).body.data.attributes
    expect(after.external_ids).toEqual({ crm: ['l'] })
    expect(after.updated_at > before).toBe(true)
  })

  it('chosen namespaces replace; what the winner gave up comes back with the undo', async () => {
    const workspace = await newWorkspace()
    const winner = await create(workspace, 'Winner', { crm: ['w', 'x'], erp: ['1'] })
    const loser = await create(workspace, 'Loser', { crm: ['l'], erp: ['2'] })
    const attributes = { external_ids: { crm: ['l', 'new'] } }
    const merge_id = await merge(workspace, winner, [loser], attributes)
    expect(await held(workspace, winner)).toEqual({ crm: ['l', 'new'], erp: ['1', '2'] })
    await workspace.api.patch(`/companies/${winner}`, { external_ids: { later: 'stays' } })
    await undoMerge(await workspace.scope(), merge_id)
    expect(await held(workspace, winner)).toEqual({ crm: ['w', 'x'], erp: ['1'], later: ['stays'] })
    expect(await held(workspace, loser)).toEqual({ crm: ['l'], erp: ['2'] })
  })

  it('an id that another record took meanwhile refuses the undo, naming the holder', async () => {
    const workspace = await newWorkspace()
    const winner = await create(workspace, 'Winner', undefined)
    const loser = await create(workspace, 'Loser', { crm: ['l'] })
    const merge_id = await merge(workspace, winner, [loser])
    await workspace.api.patch(`/companies/${winner}`, { external_ids: null })
    const other = await create(workspace, 'Other', { crm: 'l' })
    await expect(undoMerge(await workspace.scope(), merge_id)).rejects.toMatchObject({
      reason: { issues: [{ path: 'external_ids.crm', message: expect.stringContaining(`"Other" (${other})`) }] },
    })
    await workspace.api.patch(`/companies/${other}`, { external_ids: null })
    await undoMerge(await workspace.scope(), merge_id)
    expect(await held(workspace, loser)).toEqual({ crm: ['l'] })
  })

  it('a chosen id that a third record holds is 422', async () => {
    const workspace = await newWorkspace()
    const third = await create(workspace, 'Third', { crm: ['t'] })
    const winner = await create(workspace, 'Winner', undefined)
    const loser = await create(workspace, 'Loser', undefined)
    const path = 'attributes.external_ids.crm.0'
    await expect(merge(workspace, winner, [loser], { external_ids: { crm: 't' } })).rejects.toMatchObject({
      reason: { issues: [{ path, message: expect.stringContaining(`"Third" (${third})`) }] },
    })
  })

  it('may exceed the limits, and what the record holds can be sent back', async () => {
    const workspace = await newWorkspace()
    const many = (prefix: string) => Array.from({ length: 80 }, (_, index) => `${prefix}${index}`)
    const winner = await create(workspace, 'Winner', { crm: many('w') })
    await merge(workspace, winner, [await create(workspace, 'Loser', { crm: many('l') })])
    const ids = await held(workspace, winner)
    expect(ids.crm).toHaveLength(160)
    const send = async (crm: string[]) =>
      (await workspace.api.patch(`/companies/${winner}`, { external_ids: { crm } })).status
    expect(await send(ids.crm.toReversed())).toBe(200)
    expect(await send([...ids.crm, 'more'])).toBe(422)
    expect(await send(ids.crm.slice(10))).toBe(200)
  })
})
