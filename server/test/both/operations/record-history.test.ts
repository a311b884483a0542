import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { deeds, historyOf } from './audited.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

const history = async (type: ResourceName, id: string) => historyOf(await workspace.scope(), type, id)

describe('The history of a record', () => {
  it.each(testedResources)('%s: shows who created, changed, deleted and restored it, latest first', async (type) => {
    const { api, owner } = workspace
    const { label } = declared(type)
    const { id, attributes } = await made(api, type, { [label]: 'First' })
    await api.patch(`/${type}/${id}`, { [label]: 'Second' })
    await gone(api, type, id)
    await restoreRecord(await enterAsMember(workspace.runtime, workspace.slug, owner.id), declared(type), { id })
    const entries = await history(type, id)
    expect(entries.map(({ action }) => action)).toEqual(['restore', 'delete', 'update', 'create'])
    expect(entries.map(({ source }) => source)).toEqual(['web', 'api', 'api', 'api'])
    for (const entry of entries) {
      expect(entry).toMatchObject({ resource: type, record_id: id, record_name: 'Second' })
      expect(entry.actor).toEqual({ id: owner.id, name: owner.name })
      expect(entry.token === null).toBe(entry.source === 'web')
    }
    expect(entries[3]?.at).toBe(attributes.created_at)
    expect(entries[2]).toMatchObject({
      token: { name: 'test' },
      changes: [{ field: label, label: label === 'name' ? 'Name' : 'Title', before: 'First', after: 'Second' }],
    })
  })

  it('shows before and after of every attribute, value and link that changed, and of no other', async () => {
    const { api, owner } = workspace
    const [acme, beta] = [
      await made(api, 'companies', { name: 'Acme' }),
      await made(api, 'companies', { name: 'Beta' }),
    ]
    const deal = await made(api, 'opportunities', {
      company_id: acme.id,
      custom_fields: { stage: 'Prospecting', amount: 1 },
    })
    const body = {
      name: 'One',
      company_id: beta.id,
      custom_fields: { stage: 'Closed Won', amount: 1, close_date: null },
    }
    await api.patch(`/opportunities/${deal.id}`, body)
    const [changed] = await history('opportunities', deal.id)
    const { stage } = deal.attributes.custom_fields
    expect(changed?.changes).toMatchObject([
      {
        field: 'company_id',
        label: 'Company',
        before: { id: acme.id, name: 'Acme' },
        after: { id: beta.id, name: 'Beta' },
      },
      { field: 'custom_fields.stage', label: 'Stage', before: stage, after: { label: 'Closed Won' } },
    ])
    const task = await made(api, 'tasks', { company_ids: [acme.id] })
    await api.patch(`/tasks/${task.id}`, { company_ids: [beta.id], assignee_ids: [owner.id] })
    expect((await history('tasks', task.id))[0]?.changes).toMatchObject([
      {
        field: 'company_ids',
        label: 'Companies',
        before: [{ id: acme.id, name: 'Acme' }],
        after: [{ id: beta.id, name: 'Beta' }],
      },
      { field: 'assignee_ids', label: 'Assignees', before: [], after: [{ id: owner.id, name: owner.name }] },
    ])
  })

  it('has no entry for a write that changed nothing or was refused', async () => {
    const { api } = workspace
    const { id, attributes } = await made(api, 'people', { name: 'Ada' })
    await api.put(`/people/${id}`, attributes)
    await api.put(`/people/${id}`, { name: '', company_id: NOWHERE })
    await api.post('/people', { name: '' })
    expect(await deeds(workspace, { resource: 'people' })).toEqual(['create people Ada'])
  })

  it('shows an upsert as a create or an update', async () => {
    const upsert = (name: string) =>
      workspace.api.post('/people/upsert', { name, match: { field: 'emails', value: 'a@x.example' } })
    await upsert('Ada')
    await upsert('Ada L')
    expect(await deeds(workspace, { resource: 'people' })).toEqual(['update people Ada L', 'create people Ada L'])
  })

  it('keeps the beginning of long texts', async () => {
    const { id } = await made(workspace.api, 'notes')
    await workspace.api.patch(`/notes/${id}`, { custom_fields: { body: 'x'.repeat(5000) } })
    const after = (await history('notes', id))[0]?.changes[0]?.after
    expect(after).toBe(`${'x'.repeat(1000)}…`)
  })

  it('shows merges and undone merges, on the winner, the losers and what was moved', async () => {
    const { api } = workspace
    const [winner, loser] = [
      await made(api, 'companies', { name: 'Winner' }),
      await made(api, 'companies', { name: 'Loser' }),
    ]
    const person = await made(api, 'people', { company_id: loser.id })
    const task = await made(api, 'tasks', { company_ids: [loser.id] })
    const input = { winner_id: winner.id, loser_ids: [loser.id], attributes: { name: 'Both' } }
    const { merge_id } = await mergeRecords(await workspace.scope(), registry.companies, input)
    const both = { id: winner.id, name: 'Both' }
    const lost = { id: loser.id, name: 'Loser' }
    const [merged, away] = await history('companies', winner.id)
    expect(merged).toMatchObject({
      action: 'merge',
      changes: [
        { field: 'merged', before: null, after: [lost] },
        { field: 'name', before: 'Winner', after: 'Both' },
      ],
    })
    expect(away).toMatchObject({
      action: 'merge',
      record_id: loser.id,
      changes: [{ field: 'merged_into', label: 'Merged into', after: { id: winner.id, name: 'Winner' } }],
    })
    expect((await history('people', person.id))[0]?.changes).toMatchObject([
      { field: 'company_id', before: lost, after: both },
    ])
    expect((await history('tasks', task.id))[0]?.changes).toMatchObject([
      { field: 'company_ids', before: [lost], after: [both] },
    ])
    await undoMerge(await workspace.scope(), merge_id)
    expect((await history('companies', winner.id))[0]).toMatchObject({ action: 'undo_merge' })
    expect((await history('companies', loser.id))[0]).toMatchObject({ action: 'restore' })
    expect((await history('people', person.id))[0]?.changes).toMatchObject([{ field: 'company_id', after: lost }])
    expect((await history('tasks', task.id))[0]?.changes).toMatchObject([{ field: 'company_ids', after: [lost] }])
  })
})
