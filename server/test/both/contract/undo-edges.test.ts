import { DAY_MS, RESTORE_DAYS } from '@kith/contract/limits'
import { resourceIn } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import type { Answered } from '../../api.ts'
import { type EveryName, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { changeIn, lastChange } from '../../undoing.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

const undo = (id: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> =>
  workspace.api.put(`/changes/${id}/undo`, body, { headers })

async function merged(type: EveryName, winner: string, losers: string[]): Promise<string> {
  const { status, body, text } = await workspace.api.put(`/${type}/${winner}/merge`, { loser_ids: losers })
  expect(status, text).toBe(200)
  return body.meta.merge_id
}

/** The entry of the feed about a record that has a kind. */
async function entryOf(record: string, kind: string): Promise<string> {
  const { body } = await workspace.api.get('/changes?since=2020-01-01&limit=1000')
  const found = body.data.findLast(
    ({ attributes }: { attributes: Record<string, unknown> }) =>
      attributes.record_id === record && attributes.kind === kind,
  )
  return found?.id ?? ''
}

describe('additions 1. Undo of a merge', () => {
  it.each(testedResources)('%s: undoes the merge as a whole; the response is the winner', async (type) => {
    const { api } = workspace
    const [winner = '', first = '', second = ''] = await madeIds(api, type, 3)
    const mergeId = await merged(type, winner, [first, second])
    const answer = await undo(await entryOf(first, 'merged'))
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data.id).toBe(winner)
    expect(changeIn(answer)).toBe(await entryOf(first, 'restored'))
    for (const id of [winner, first, second]) expect((await api.get(`/${type}/${id}`)).status).toBe(200)
    expect((await api.get('/merges')).body.data).toMatchObject([
      { id: mergeId, attributes: { undone_at: expect.any(String) } },
    ])
    const again = await undo(await entryOf(second, 'merged'))
    expect([again.status, again.body.data.id, changeIn(again)]).toEqual([
      200,
      winner,
      await entryOf(second, 'restored'),
    ])
  })

  it('If-Match compares as on restore: with the loser as it was', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const { updated_at } = (await api.get(`/companies/${loser}`)).body.data.attributes
    await merged('companies', winner, [loser])
    const change = await entryOf(loser, 'merged')
    const other = (await api.get(`/companies/${winner}`)).body.data.attributes.created_at
    expect((await undo(change, {}, { 'If-Match': `"${other}"` })).status).toBe(other === updated_at ? 200 : 412)
    expect((await undo(change, {}, { 'If-Match': `"${updated_at}"` })).status).toBe(200)
  })

  it('needs update and delete', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    await merged('companies', winner, [loser])
    const change = await entryOf(loser, 'merged')
    const updater = await workspace.token({ abilities: ['update'] })
    expect((await updater.put(`/changes/${change}/undo`)).status).toBe(403)
    const both = await workspace.token({ abilities: ['update', 'delete'] })
    expect((await both.put(`/changes/${change}/undo`)).status).toBe(200)
  })
})

describe('additions 1. A change that another one caused is 422 on id, naming that change', () => {
  const causeOf = async (change: string) => (await problemsOf(undo(change))).id?.[0] ?? ''

  it('a reference moved by a merge', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    const person = await made(api, 'people', { company_id: loser })
    const task = await made(api, 'tasks', { company_ids: [loser] })
    await merged('companies', winner, [loser])
    const merge = await entryOf(loser, 'merged')
    expect(await causeOf(await lastChange(api, 'people', person.id))).toContain(merge)
    expect(await causeOf(await lastChange(api, 'tasks', task.id))).toContain(merge)
  })

  it('a reference or link that is readable again after a restore', async () => {
    const { api } = workspace
    const company = await made(api, 'companies')
    const person = await made(api, 'people', { company_id: company.id })
    const task = await made(api, 'tasks', { company_ids: [company.id] })
    await gone(api, 'companies', company.id)
    await api.put(`/companies/${company.id}/restore`)
    const restored = await lastChange(api, 'companies', company.id)
    expect(await causeOf(await lastChange(api, 'people', person.id))).toContain(restored)
    expect(await causeOf(await lastChange(api, 'tasks', task.id))).toContain(restored)
  })

  it('a value that was cleared with its option', async () => {
    const { api } = workspace
    const task = await made(api, 'tasks', { custom_fields: { priority: 'High' } })
    const { id: option } = task.attributes.custom_fields.priority
    expect((await api.delete(`/schema/tasks/fields/priority/options/${option}`)).status).toBe(204)
    const cleared = await lastChange(api, 'tasks', task.id)
    expect(cleared).not.toBe(task.id)
    const message = await causeOf(cleared)
    expect(message).toMatch(/^The change \w{26} caused the change/)
    const cause = /The change (\w{26}) caused/.exec(message)?.[1] ?? ''
    expect((await api.get(`/changes/${cause}`)).body.data.attributes.resource).toBe('custom_fields')
  })
})

describe('additions 1. What an undo does', () => {
  it('is sent by webhooks and counts as the change that it is: in the feed, by kind and by changed', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await api.patch(`/companies/${id}`, { name: 'Two' })
    const undone = changeIn(await undo(await lastChange(api, 'companies', id)))
    const { body } = await api.get('/companies/changes?since=2020-01-01&changed=name&kind=updated')
    expect(body.data.at(-1)).toMatchObject({ id: undone, attributes: { origin: { source: 'api', own: true } } })
  })

  it('an undo of a deletion whose record was restored and deleted again by hand restores it again', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await gone(api, 'companies', id)
    const first = await entryOf(id, 'deleted')
    await api.put(`/companies/${id}/restore`)
    await gone(api, 'companies', id)
    expect((await undo(first)).status).toBe(200)
    expect((await api.get(`/companies/${id}`)).status).toBe(200)
  })

  it('is 422 on id for a record that was deleted for good, or 404 with its resource', async () => {
    const { api } = workspace
    const project = await made(api, 'projects')
    await api.delete('/schema/projects')
    expect((await undo(project.id)).status).toBe(404)
    await api.put('/schema/projects/restore')
    expect((await undo(project.id)).status).toBe(204)
  })
})

describe('additions 1. After 30 days, or if the value from before is not known: 422 on id, saying which', () => {
  const asked = { raw: {}, loose: false, issues: [] }

  /** The owner of the workspace, some days ago. */
  async function ago(days: number): Promise<Scope> {
    const { runtime, slug, owner } = workspace
    return enterAsMember({ ...runtime, now: () => new Date(Date.now() - days * DAY_MS) }, slug, owner.id)
  }

  it.each([
    [RESTORE_DAYS + 1, 422],
    [RESTORE_DAYS - 1, 200],
  ])('%i days', async (days, status) => {
    const scope = await ago(days)
    const company = resourceIn(scope.schema, 'companies')
    const [record] = (await createRecord(scope, company, { body: { name: 'One' }, asked })).data()
    const id = record?.id ?? ''
    await updateRecord(scope, company, { id, body: { name: 'Two' }, asked })
    const change = await lastChange(workspace.api, 'companies', id)
    const answer = await undo(change)
    expect(answer.status, answer.text).toBe(status)
    if (status === 422) expect(answer.body.errors.id[0]).toContain(`that is possible for ${RESTORE_DAYS} days`)
    expect((await undo(id)).status).toBe(status === 422 ? 422 : 204)
  })

  it('a value that is no longer kept in full', async () => {
    const { api, runtime, id: workspaceId } = workspace
    const { id } = await made(api, 'notes', { custom_fields: { body: 'a'.repeat(2000) } })
    await api.patch(`/notes/${id}`, { custom_fields: { body: 'b' } })
    const change = await lastChange(api, 'notes', id)
    await runtime.engine.transaction((inside) =>
      sql`delete from change_values where workspace_id = ${workspaceId} and change_id = ${change}`.run(inside),
    )
    expect((await problemsOf(undo(change))).id?.[0]).toContain('not kept in full')
    expect((await api.get(`/changes/${change}`)).status).toBe(200)
  })
})
