import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { listMerges } from '../../../src/records/merge/merges.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { listTrash } from '../../../src/records/trash/trash.ts'
import { gone, made } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace } from '../../workspace.ts'
import { type MergeWorkspace, mergeWorkspace } from './merging.ts'
import { later } from './scopes.ts'

let workspace: MergeWorkspace

beforeEach(async () => {
  workspace = await mergeWorkspace()
})

describe('Undoing a merge', () => {
  it.each(['undo', 'restore'] as const)('brings back what was (%s)', async (way) => {
    const { api } = workspace
    const [winner = '', loser = '', third = ''] = await workspace.twins(3)
    const person = await made(api, 'people', { company_id: loser })
    const task = await made(api, 'tasks', { company_ids: [loser, third] })
    const both = await made(api, 'notes', { company_ids: [winner, loser] })
    const look = async () => ({
      companies: (await api.get('/companies?sort=created_at&include=people,tasksCount,notesCount')).text,
      person: (await workspace.attributes('people', person.id)).company_id,
      task: await workspace.linked('tasks', task.id, 'companies'),
      note: await workspace.linked('notes', both.id, 'companies'),
      upsert: (await api.post('/companies/upsert', { name: 'x', match: { field: 'domains', value: 'acme.example' } }))
        .text,
    })
    const times = /"updated_at":"[^"]+"/g
    const before = await look()
    const { merge_id } = await workspace.merge('companies', { winner_id: winner, loser_ids: [loser, third] })
    const scope = await workspace.scope()
    if (way === 'undo') expect((await undoMerge(scope, merge_id)).data()[0]?.id).toBe(winner)
    else expect((await restoreRecord(scope, registry.companies, { id: third })).data()[0]?.id).toBe(third)
    const after = await look()
    expect({ ...after, companies: after.companies.replace(times, '') }).toEqual({
      ...before,
      companies: before.companies.replace(times, ''),
    })
    expect((await listTrash(scope, {})).total).toBe(0)
    expect((await listMerges(scope, {})).data[0]?.undone_at).not.toBeNull()
    const { updated_at } = await workspace.attributes('companies', winner)
    const again = await undoMerge(scope, merge_id)
    expect(again.data()[0]).toMatchObject({ id: winner, attributes: { updated_at } })
  })

  it('leaves what was changed meanwhile', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await workspace.twins()
    const other = await made(api, 'companies', { name: 'Other' })
    const [stays, moves, returns] = [
      await made(api, 'people', { company_id: loser }),
      await made(api, 'people', { company_id: loser }),
      await made(api, 'people', { company_id: loser }),
    ]
    const [unlinked, kept] = [
      await made(api, 'tasks', { company_ids: [loser] }),
      await made(api, 'tasks', { company_ids: [loser] }),
    ]
    const attributesChosen = { name: 'Chosen', custom_fields: { icp: true } }
    const { merge_id } = await workspace.merge('companies', {
      winner_id: winner,
      loser_ids: [loser],
      attributes: attributesChosen,
    })
    await api.patch(`/people/${moves.id}`, { company_id: other.id })
    for (const company_id of [null, winner]) await api.patch(`/people/${returns.id}`, { company_id })
    await api.patch(`/tasks/${unlinked.id}`, { company_ids: [other.id] })
    await api.patch(`/companies/${winner}`, {
      name: 'Renamed',
      custom_fields: { domains: ['acme.example', 'own-1.example', 'new.example'] },
    })
    await undoMerge(await workspace.scope(), merge_id)
    expect(await workspace.attributes('people', moves.id)).toMatchObject({ company_id: other.id })
    expect(await workspace.attributes('people', stays.id)).toMatchObject({ company_id: loser })
    expect(await workspace.attributes('people', returns.id)).toMatchObject({ company_id: winner })
    expect(await workspace.linked('tasks', unlinked.id, 'companies')).toEqual([other.id])
    expect(await workspace.linked('tasks', kept.id, 'companies')).toEqual([loser])
    expect(await workspace.attributes('companies', winner)).toMatchObject({
      name: 'Renamed',
      custom_fields: { domains: ['acme.example', 'new.example'], icp: null },
    })
    expect(await workspace.attributes('companies', loser)).toMatchObject({
      custom_fields: { domains: ['acme.example', 'own-1.example'] },
    })
  })

  it('leaves a reference that came to the winner in another way after the merge', async () => {
    const { api } = workspace
    const scope = await workspace.scope()
    const undo = (merge_id: string) => undoMerge(scope, merge_id)
    const [first, second, third] = [
      (await made(api, 'companies', {})).id,
      (await made(api, 'companies', {})).id,
      (await made(api, 'companies', {})).id,
    ]
    const merge = async (winner_id: string, loser: string) =>
      (await workspace.merge('companies', { winner_id, loser_ids: [loser] })).merge_id
    const refer = (person: { id: string }, company_id: string | null) =>
      api.patch(`/people/${person.id}`, { company_id })
    const referredBy = async (person: { id: string }) => (await workspace.attributes('people', person.id)).company_id

    const written = await made(api, 'people', { company_id: first })
    const intoSecond = await merge(second, first)
    const intoThird = await merge(third, second)
    await refer(written, null)
    await undo(intoThird)
    await refer(written, second)
    await undo(intoSecond)
    expect(await referredBy(written)).toBe(second)

    const moved = await made(api, 'people', { company_id: first })
    const earlier = await merge(third, first)
    await refer(moved, second)
    const latter = await merge(third, second)
    await undo(earlier)
    expect(await referredBy(moved)).toBe(third)
    await undo(latter)
    expect(await referredBy(moved)).toBe(second)

    const chosen = await made(api, 'people', { company_id: first })
    const other = await made(api, 'people', {})
    const last = await merge(second, first)
    await refer(chosen, null)
    const attributes = { company_id: second }
    await workspace.merge('people', { winner_id: chosen.id, loser_ids: [other.id], attributes })
    await undo(last)
    expect(await referredBy(chosen)).toBe(second)
  })

  it('is refused while another record holds a value of a loser, while the winner is gone, and after 30 days', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await workspace.twins()
    const chosen = { custom_fields: { domains: ['acme.example'] } }
    const { merge_id } = await workspace.merge('companies', {
      winner_id: winner,
      loser_ids: [loser],
      attributes: chosen,
    })
    const scope = await workspace.scope()
    const taker = await made(api, 'companies', { name: 'Taker', custom_fields: { domains: ['own-1.example'] } })
    expect((await refusalOf(undoMerge(scope, merge_id)))[0]).toMatch(
      /^custom_fields\.domains: .*own-1\.example.*"Taker"/,
    )
    await gone(api, 'companies', taker.id)
    const last = await made(api, 'companies', { name: 'Last' })
    const second = await workspace.merge('companies', { winner_id: last.id, loser_ids: [winner] })
    expect((await refusalOf(undoMerge(scope, merge_id)))[0]).toContain(`Undo that merge (${second.merge_id}) first`)
    await undoMerge(scope, second.merge_id)
    await gone(api, 'companies', winner)
    expect((await refusalOf(undoMerge(scope, merge_id)))[0]).toContain('is deleted. Restore it first.')
    await restoreRecord(scope, registry.companies, { id: winner })
    expect((await refusalOf(undoMerge(later(scope, 31), merge_id)))[0]).toMatch(/^merge: .*can no longer be undone/)
    expect((await refusalOf(undoMerge(await (await newWorkspace()).scope(), merge_id)))[0]).toMatch(/^not_found/)
    await undoMerge(scope, merge_id)
    expect((await api.get('/companies')).body.meta.total).toBe(3)
  })
})
