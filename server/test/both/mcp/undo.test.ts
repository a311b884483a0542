import { beforeEach, describe, expect, it } from 'vitest'
import { NOWHERE } from '../../records.ts'
import { connectTo, type ToolClient } from '../../tool-client.ts'
import { changeIn, lastChange } from '../../undoing.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let tools: ToolClient

beforeEach(async () => {
  workspace = await newWorkspace()
  tools = await connectTo(workspace)
})

async function created(name: string): Promise<{ id: string; at: string }> {
  const { data } = await tools.call('create_record', { resource: 'companies', attributes: { name } })
  return { id: data.id, at: data.attributes.created_at }
}

const nameOf = async (id: string) => (await workspace.api.get(`/companies/${id}`)).body.data?.attributes.name
const statuses = ({ data }: { data: { status: number }[] }) => data.map(({ status }) => status)

describe('undo_changes', () => {
  it('checks what it would undo unless dry_run is false', async () => {
    const { id, at: since } = await created('A')
    await tools.call('update_record', { resource: 'companies', id, attributes: { name: 'B' } })
    const dry = await tools.call('undo_changes', { since })
    expect([statuses(dry), dry.meta.dry_run]).toEqual([[200, 204], true])
    expect(await nameOf(id)).toBe('B')
    const { data } = await tools.call('record_history', { resource: 'companies', id })
    const done = await tools.call('undo_changes', { ids: [data[0].id], dry_run: false })
    expect(done).toMatchObject({ data: [{ record_id: id, status: 200 }], meta: { succeeded: 1, dry_run: false } })
    expect(await nameOf(id)).toBe('A')
    expect(statuses(await tools.call('undo_changes', { since, dry_run: false }))).toEqual([204])
    expect(await nameOf(id)).toBe(undefined)
  })

  it('only undoes own changes, and says what was changed again', async () => {
    const { id, at: since } = await created('A')
    await tools.call('update_record', { resource: 'companies', id, attributes: { name: 'B' } })
    const own = await lastChange(workspace.api, 'companies', id)
    await workspace.api.patch(`/companies/${id}`, { name: 'C' })
    const foreign = await lastChange(workspace.api, 'companies', id)
    expect(await tools.refused('undo_changes', { ids: [own, foreign], dry_run: false })).toContain(foreign)
    const { data } = await tools.call('undo_changes', { since, dry_run: false })
    expect(data).toMatchObject([
      { id: own, status: 422, errors: { name: [expect.stringContaining(foreign)] } },
      { id, status: 422 },
    ])
    expect(await nameOf(id)).toBe('C')
    expect(changeIn(await workspace.api.put(`/changes/${foreign}/undo`))).not.toBe('')
    expect(statuses(await tools.call('undo_changes', { since, dry_run: false }))).toEqual([200, 204])
    expect(statuses(await tools.call('undo_changes', { ids: [NOWHERE] }))).toEqual([404])
  })

  it('needs delete, too, unless the changes are updates; and either ids or since', async () => {
    const updater = await connectTo(workspace, { abilities: ['create', 'update', 'read'] })
    const { data } = await updater.call('create_record', { resource: 'companies', attributes: { name: 'A' } })
    expect(await updater.refused('undo_changes', { ids: [data.id] })).toContain('"delete"')
    for (const input of [{}, { ids: [data.id], since: '2026-01-01' }]) {
      expect(await tools.refused('undo_changes', input)).toContain('Send either ids or since.')
    }
    expect(await tools.refused('undo_changes', { since: 'yesterday' })).toContain('since')
  })
})
