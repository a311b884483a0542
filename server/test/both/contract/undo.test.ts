import type { ResourceName } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

type Entry = { id: string; attributes: Record<string, unknown> }

async function history(type: ResourceName, id: string): Promise<Entry[]> {
  return (await workspace.api.get(`/${type}/${id}/history`)).body.data
}

/** The id of the last change of a record. */
async function lastChange(type: ResourceName, id: string): Promise<string> {
  return (await history(type, id))[0]?.id ?? ''
}

/** The latest entries of the feed about a record, the last first. */
async function feed(record: string): Promise<Record<string, unknown>[]> {
  const { body } = await workspace.api.get('/changes?since=2020-01-01&limit=1000')
  const all: Entry[] = body.data
  return all
    .filter(({ attributes }) => attributes.record_id === record)
    .map(({ id, attributes }) => ({ id, ...attributes }))
    .reverse()
}

const undo = (id: string, body?: object, headers: Record<string, string> = {}) =>
  workspace.api.put(`/changes/${id}/undo`, body, { headers })

const changeIn = ({ headers }: Answered) => headers.get('X-Change-Id')

describe('additions 1. PUT /v1/changes/{id}/undo', () => {
  it.each(testedResources)('%s: created is deleted, deleted is restored, restored is deleted', async (type) => {
    const { api } = workspace
    const { id } = await made(api, type)
    const created = await lastChange(type, id)
    expect(created).toBe(id)
    const deleted = await undo(created)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await api.get(`/${type}/${id}`)).status).toBe(404)
    const restored = await undo(changeIn(deleted) ?? '')
    expect(restored.status, restored.text).toBe(200)
    expect(restored.body).toEqual((await api.get(`/${type}/${id}`)).body)
    expect(restored.headers.get('ETag')).toBe((await api.get(`/${type}/${id}`)).headers.get('ETag'))
    expect((await undo(changeIn(restored) ?? '')).status).toBe(204)
    expect((await api.get(`/${type}/${id}`)).status).toBe(404)
    expect((await feed(id)).map(({ kind }) => kind)).toEqual(['deleted', 'restored', 'deleted', 'created'])
  })

  it.each(testedResources)('%s: updated gets its values from before, as a change like any other', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const { id, attributes } = await made(api, type, { [label]: 'Before' })
    const patched = await api.patch(`/${type}/${id}`, { [label]: 'After' })
    const change = await lastChange(type, id)
    const undone = await undo(change)
    expect(undone.status, undone.text).toBe(200)
    const now = undone.body.data.attributes
    expect({ ...now, updated_at: '' }).toEqual({ ...attributes, updated_at: '' })
    expect(now.updated_at > patched.body.data.attributes.updated_at).toBe(true)
    const [entry] = await history(type, id)
    expect(entry?.id).toBe(changeIn(undone))
    expect(entry?.attributes).toMatchObject({ action: 'undone', undo_of: change })
    expect(entry?.attributes.changes).toMatchObject([{ field: label, before: 'After', after: 'Before' }])
    const [last] = await feed(id)
    expect(last).toMatchObject({ id: changeIn(undone), kind: 'updated', changed: [label], at: now.updated_at })
    expect(last).not.toHaveProperty('undo_of')
  })

  it.each(testedResources)('%s: only the history of an undo has undo_of', async (type) => {
    const { id } = await made(workspace.api, type)
    expect((await history(type, id))[0]?.attributes).not.toHaveProperty('undo_of')
  })

  it('brings back every attribute, value, link and external id', async () => {
    const { api, owner } = workspace
    const [acme = '', beta = ''] = await madeIds(api, 'companies', 2)
    const [ada = ''] = await madeIds(api, 'people', 1)
    const shown = '?include=companies,people,assignees,externalIds'
    const before = {
      company_ids: [acme],
      people_ids: [ada],
      assignee_ids: [],
      external_ids: { crm: ['1', '2'], legacy: ['7'] },
      custom_fields: { status: 'To do', due_date: '2026-11-14T09:30:00.000Z', description: 'x'.repeat(3000) },
    }
    const { id } = await made(api, 'tasks', before)
    const was = (await api.get(`/tasks/${id}${shown}`)).body
    const after = {
      title: 'Two',
      company_ids: [beta],
      people_ids: [],
      assignee_ids: [owner.id],
      external_ids: { crm: ['1'], billing: '9', legacy: null },
      custom_fields: { status: 'Done', due_date: null, description: 'y'.repeat(3000), priority: 'High' },
    }
    await api.patch(`/tasks/${id}`, after)
    expect((await undo(await lastChange('tasks', id))).status).toBe(200)
    const now = (await api.get(`/tasks/${id}${shown}`)).body
    was.data.attributes.updated_at = now.data.attributes.updated_at
    expect(now).toEqual(was)
  })

  it('an undo can be undone itself, and then the change can be undone again', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies', { name: 'A' })
    await api.patch(`/companies/${id}`, { name: 'B' })
    const change = await lastChange('companies', id)
    const first = changeIn(await undo(change)) ?? ''
    const again = await undo(change)
    expect([again.status, changeIn(again), again.body.data.attributes.name]).toEqual([200, first, 'A'])
    const redone = await undo(first)
    expect([redone.status, redone.body.data.attributes.name]).toEqual([200, 'B'])
    const second = await undo(change)
    expect([second.status, second.body.data.attributes.name]).toEqual([200, 'A'])
    expect(changeIn(second)).not.toBe(first)
    expect(changeIn(await undo(first))).toBe(changeIn(redone))
    expect(await history('companies', id)).toHaveLength(5)
  })

  it('only the current value decides: other values may have changed since', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies', { name: 'A' })
    await api.patch(`/companies/${id}`, { name: 'B' })
    const change = await lastChange('companies', id)
    await api.patch(`/companies/${id}`, { name: 'C' })
    await api.patch(`/companies/${id}`, { custom_fields: { icp: true } })
    await api.patch(`/companies/${id}`, { name: 'B' })
    const { body } = await undo(change)
    expect(body.data.attributes).toMatchObject({ name: 'A', custom_fields: { icp: true } })
  })

  it('otherwise it is refused as a whole, by path, naming when the value was changed since', async () => {
    const { api } = workspace
    const [acme = '', beta = '', gamma = ''] = await madeIds(api, 'companies', 3)
    const { id } = await made(api, 'tasks', { title: 'A', company_ids: [acme], external_ids: { crm: '1' } })
    const custom_fields = { status: 'Done', priority: 'Low' }
    await api.patch(`/tasks/${id}`, { title: 'B', company_ids: [beta], external_ids: { crm: '2' }, custom_fields })
    const change = await lastChange('tasks', id)
    const since = { company_ids: [beta, gamma], external_ids: { other: '3' }, custom_fields: { status: 'To do' } }
    const { body } = await api.patch(`/tasks/${id}`, since)
    const at = body.data.attributes.updated_at
    const problems = await problemsOf(undo(change))
    expect(Object.keys(problems).sort()).toEqual(['company_ids', 'custom_fields.status', 'external_ids'])
    for (const [message] of Object.values(problems)) expect(message).toContain(at)
    expect((await api.get(`/tasks/${id}`)).body.data).toEqual(body.data)
    // The later change is undone, so it does not count.
    expect((await undo(await lastChange('tasks', id))).status).toBe(200)
    expect((await undo(change)).status).toBe(200)
  })

  it.each(testedResources)(
    '%s: created is 422 on id if something else was changed since, unless it is forced',
    async (type) => {
      const { api } = workspace
      const { label } = declared(type)
      const { id } = await made(api, type)
      await api.patch(`/${type}/${id}`, { [label]: 'Two' })
      const change = await lastChange(type, id)
      expect(Object.keys(await problemsOf(undo(id)))).toEqual(['id'])
      const taken = changeIn(await undo(change))
      expect((await undo(taken ?? '')).status).toBe(200)
      expect(Object.keys(await problemsOf(undo(id, { force: false })))).toEqual(['id'])
      expect((await undo(id, { force: true })).status).toBe(204)
      expect((await api.get('/trash')).body.data).toMatchObject([{ id }])
    },
  )

  it.each(testedResources)(
    '%s: changes that are undone, and their undos, do not count as changes since',
    async (type) => {
      const { api } = workspace
      const { label } = declared(type)
      const { id } = await made(api, type)
      await api.patch(`/${type}/${id}`, { [label]: 'Two' })
      await undo(await lastChange(type, id))
      expect((await undo(id)).status).toBe(204)
    },
  )

  it('a record that is deleted or merged now is 422 on id, saying what to do first', async () => {
    const { api } = workspace
    const [winner = '', loser = ''] = await madeIds(api, 'companies', 2)
    await api.patch(`/companies/${loser}`, { name: 'Two' })
    const change = await lastChange('companies', loser)
    const { meta } = (await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })).body
    const { id: [merged = ''] = [] } = await problemsOf(undo(change))
    expect(merged).toContain(meta.merge_id)
    for (const created of [loser]) expect((await undo(created)).status).toBe(422)
    await api.put(`/merges/${meta.merge_id}/undo`)
    await gone(api, 'companies', loser)
    expect((await problemsOf(undo(change))).id?.[0]).toMatch(/is deleted\. Restore it first\.$/)
    await api.put(`/companies/${loser}/restore`)
    expect((await undo(change)).body.data.attributes.name).toBe('One')
  })

  it('a value from before that cannot be written now is 422 at its path, and nothing is done', async () => {
    const { api } = workspace
    const other = await workspace.member('member')
    const [company = '', old = ''] = await madeIds(api, 'companies', 2)
    await workspace.field('opportunities', { name: 'Area', type: 'text' })
    const deal = await made(api, 'opportunities', {
      company_id: company,
      custom_fields: { stage: 'Proposal', area: 'A' },
    })
    await api.patch(`/opportunities/${deal.id}`, {
      company_id: null,
      custom_fields: { stage: 'Closed Won', area: 'B' },
    })
    const change = await lastChange('opportunities', deal.id)
    await gone(api, 'companies', company)
    await api.delete('/schema/opportunities/fields/area')
    const { id: option } = deal.attributes.custom_fields.stage
    await api.delete(`/schema/opportunities/fields/stage/options/${option}`)
    const paths = ['company_id', 'custom_fields.area', 'custom_fields.stage']
    expect(Object.keys(await problemsOf(undo(change))).sort()).toEqual(paths)
    const owned = await made(api, 'companies', {
      account_owner_id: other.id,
      custom_fields: { domains: ['a.example'] },
    })
    await api.patch(`/companies/${owned.id}`, { account_owner_id: null, custom_fields: { domains: [] } })
    const second = await lastChange('companies', owned.id)
    await workspace.remove(other)
    await made(api, 'companies', { custom_fields: { domains: ['a.example'] } })
    const problems = await problemsOf(undo(second))
    expect(Object.keys(problems).sort()).toEqual(['account_owner_id', 'custom_fields.domains'])
    const task = await made(api, 'tasks', { company_ids: [old], external_ids: { crm: '7' } })
    await api.patch(`/tasks/${task.id}`, { company_ids: [], external_ids: null })
    const third = await lastChange('tasks', task.id)
    await gone(api, 'companies', old)
    await made(api, 'tasks', { external_ids: { crm: '7' } })
    expect(Object.keys(await problemsOf(undo(third))).sort()).toEqual(['company_ids', 'external_ids.crm.0'])
  })

  it('a deleted record whose value is taken is 422 at its path', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies', { custom_fields: { domains: ['a.example'] } })
    await gone(api, 'companies', id)
    const [{ id: change } = { id: '' }] = await feedOf(id)
    await made(api, 'companies', { custom_fields: { domains: ['a.example'] } })
    expect(Object.keys(await problemsOf(undo(change)))).toEqual(['custom_fields.domains'])
  })

  it.each(testedResources)('%s: what is in the wanted state by hand stays, without a new change', async (type) => {
    const { api } = workspace
    const { id } = await made(api, type)
    await gone(api, type, id)
    const [{ id: deletion } = { id: '' }] = await feedOf(id)
    const byHand = await undo(id)
    expect([byHand.status, changeIn(byHand)]).toEqual([204, null])
    await api.put(`/${type}/${id}/restore`)
    const restored = await undo(deletion)
    expect([restored.status, changeIn(restored)]).toEqual([200, null])
    expect(await feedOf(id)).toHaveLength(3)
  })

  it('If-Match compares as on update, and on restore with the time before the deletion', async () => {
    const { api } = workspace
    const { id, attributes } = await made(api, 'companies')
    const stale = { 'If-Match': `"${attributes.updated_at}"` }
    const patched = await api.patch(`/companies/${id}`, { name: 'Two' })
    const change = await lastChange('companies', id)
    expect((await undo(change, undefined, stale)).status).toBe(412)
    expect((await undo(change, undefined, { 'If-Match': 'nothing' })).status).toBe(422)
    const current = { 'If-Match': `"${patched.body.data.attributes.updated_at}"` }
    const undone = await undo(change, undefined, current)
    expect(undone.status).toBe(200)
    await gone(api, 'companies', id)
    const [{ id: deletion } = { id: '' }] = await feedOf(id)
    expect((await undo(deletion, undefined, stale)).status).toBe(412)
    const last = { 'If-Match': `"${undone.body.data.attributes.updated_at}"` }
    expect((await undo(deletion, undefined, last)).status).toBe(200)
  })

  it('order of checks: the change (404), then abilities (403), then the body', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await api.patch(`/companies/${id}`, { name: 'Two' })
    const change = await lastChange('companies', id)
    const [reader, updater] = [
      await workspace.token({ abilities: ['read'] }),
      await workspace.token({ abilities: ['update'] }),
    ]
    expect((await reader.put(`/changes/${NOWHERE}/undo`)).status).toBe(404)
    expect((await reader.put('/changes/none/undo')).status).toBe(404)
    expect((await reader.put(`/changes/${change}/undo`, { no: 1 })).status).toBe(403)
    expect((await updater.put(`/changes/${id}/undo`)).status).toBe(403)
    expect(Object.keys(await problemsOf(undo(change, { no: 1, force: 'yes' })))).toEqual(['no', 'force'])
    expect(Object.keys(await problemsOf(api.put(`/changes/${change}/undo?x=1`)))).toEqual(['x'])
    expect((await updater.put(`/changes/${change}/undo`)).status).toBe(200)
    const stranger = await (await workspaceWithOwn()).token()
    expect((await stranger.put(`/changes/${change}/undo`)).status).toBe(404)
  })

  it('an Idempotency-Key replays the response with X-Change-Id', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    const headers = { 'Idempotency-Key': 'once' }
    const first = await undo(id, {}, headers)
    const second = await undo(id, {}, headers)
    expect([first.status, second.status]).toEqual([204, 204])
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect(changeIn(second)).toBe(changeIn(first))
  })

  it('changes of custom_fields, schemas and users are 422 on id, naming what does it', async () => {
    const { api } = workspace
    await workspace.member('viewer')
    await workspace.field('companies', { name: 'Area', type: 'text' })
    const { body } = await api.get('/changes?since=2020-01-01&resource=custom_fields,schemas,users&limit=1000')
    const entries: Entry[] = body.data
    const told = new Map<unknown, string>()
    for (const { id, attributes } of entries) {
      const answer = await undo(id)
      // Starting fields are only in the feed.
      if (answer.status === 422) told.set(attributes.resource, answer.body.errors.id[0])
    }
    expect(told.get('custom_fields')).toContain('PUT /v1/schema/{resource}/fields/{code}')
    expect(told.get('schemas')).toContain('PUT /v1/schema/{resource}')
    expect(told.get('users')).toContain('Members')
  })
})

async function feedOf(id: string): Promise<{ id: string }[]> {
  return (await feed(id)).map((entry) => ({ id: String(entry.id) }))
}

describe('additions 1. GET /v1/changes/{id}', () => {
  it('returns one entry with its values in full, also long texts', async () => {
    const { api, owner } = workspace
    const [before, after] = ['a'.repeat(5000), 'b'.repeat(70_000)]
    const { id, attributes } = await made(api, 'notes', { custom_fields: { body: before } })
    const patched = await api.patch(`/notes/${id}`, { title: 'Two', custom_fields: { body: after } })
    const [entry] = await history('notes', id)
    expect(entry?.attributes.changes).toMatchObject([{}, { truncated: true }])
    const answer = await api.get(`/changes/${entry?.id.toUpperCase()}`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data).toMatchObject({
      id: entry?.id,
      type: 'changes',
      attributes: {
        ...{ kind: 'updated', resource: 'notes', record_id: id, at: patched.body.data.attributes.updated_at },
        changed: ['custom_fields.body', 'title'],
        origin: { source: 'api', actor_id: owner.id, own: true },
        ...{ undo_of: null, undone_by: null, cause: null, merged_into: null },
      },
    })
    expect(answer.body.data.attributes.changes).toEqual([
      { field: 'title', before: attributes.title, after: 'Two' },
      { field: 'custom_fields.body', before, after },
    ])
    const undone = changeIn(await undo(entry?.id ?? ''))
    expect((await api.get(`/changes/${entry?.id}`)).body.data.attributes.undone_by).toBe(undone)
    expect((await api.get(`/changes/${undone}`)).body.data.attributes.undo_of).toBe(entry?.id)
  })

  it('is 404 for others, for a deleted record of which one may not read the history, and needs read', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    const member = await workspace.token({ user: await workspace.member('member') })
    expect((await member.get(`/changes/${id}`)).status).toBe(200)
    expect((await member.get(`/changes/${id}?x=1`)).status).toBe(422)
    await gone(api, 'companies', id)
    expect((await member.get(`/changes/${id}`)).status).toBe(404)
    expect((await api.get(`/changes/${id}`)).status).toBe(200)
    expect((await api.get(`/changes/${NOWHERE}`)).status).toBe(404)
    expect((await (await workspaceWithOwn()).api.get(`/changes/${id}`)).status).toBe(404)
    expect((await (await workspace.token({ abilities: ['update'] })).get(`/changes/${id}`)).status).toBe(403)
  })
})
