import { beforeEach, describe, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { apiAt } from '../../api.ts'
import { closeStreamsAfterEach, listenTo } from '../../event-stream.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { type Entry, follow, now, page } from './feed.ts'

let workspace: TestWorkspace
let cursor: string

closeStreamsAfterEach()

beforeEach(async () => {
  workspace = await workspaceWithOwn()
  cursor = await now(workspace)
})

/** The entries so far with their values. */
async function diffs(query = '', path = ''): Promise<Entry[]> {
  return (await follow(workspace, cursor, `payload=diff&${query}`, path)).entries
}

const changesOf = (entries: readonly Entry[]) => entries.map(({ attributes }) => attributes.changes)

describe('additions 2. payload=diff', () => {
  it.each(testedResources)('%s: changes come after changed, with record as with full', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const { id } = await made(api, type, { [label]: 'Before' })
    await api.patch(`/${type}/${id}`, { [label]: 'After' })
    await gone(api, type, id)
    await api.put(`/${type}/${id}/restore`)
    const entries = await diffs()
    const changed = [{ field: label, before: 'Before', after: 'After', truncated: false }]
    expect(changesOf(entries)).toEqual([[], changed, [], []])
    const names = Object.keys(entries[1]?.attributes ?? {})
    expect(names.slice(names.indexOf('changed')).slice(0, 3)).toEqual(['changed', 'changes', 'merged_into'])
    const full = (await follow(workspace, cursor)).entries
    const without = entries.map(({ attributes: { changes: _, ...attributes }, ...entry }) => ({ ...entry, attributes }))
    expect(without).toEqual(full)
    expect(changesOf(await diffs('', `/${type}`))).toEqual(changesOf(entries))
  })

  it('has values, references, links and external ids, each value up to 1,000 characters', async () => {
    const { api, owner } = workspace
    const [acme = '', beta = ''] = await madeIds(api, 'companies', 2)
    const text = { custom_fields: { description: 'a'.repeat(3000), status: 'To do' } }
    const task = await made(api, 'tasks', { ...text, company_ids: [acme], external_ids: { crm: ['1'] } })
    const after = { status: 'Done', description: null }
    const links = { company_ids: [beta], assignee_ids: [owner.id] }
    await api.patch(`/tasks/${task.id}`, { ...links, external_ids: { crm: ['2'] }, custom_fields: after })
    const changes = (await diffs('', '/tasks')).at(-1)?.attributes.changes ?? []
    const byField = new Map(changes.map(({ field, ...values }) => [field, values]))
    expect(Object.fromEntries(byField)).toEqual({
      'custom_fields.description': { before: 'a'.repeat(1000), after: null, truncated: true },
      'custom_fields.status': {
        before: { id: expect.any(String), label: 'To do' },
        after: { id: expect.any(String), label: 'Done' },
        truncated: false,
      },
      company_ids: { before: [acme], after: [beta], truncated: false },
      assignee_ids: { before: [], after: [owner.id], truncated: false },
      external_ids: { before: { crm: ['1'] }, after: { crm: ['2'] }, truncated: false },
    })
  })

  it('null for a snapshot, for left, and for entries past the history', async () => {
    const { api, runtime, id: workspaceId } = workspace
    const { id } = await made(api, 'companies', { name: 'Acme Labs' })
    await api.patch(`/companies/${id}`, { name: 'Acme' })
    const left = await diffs('filter[name][$contains]=labs', '/companies')
    expect(left.map(({ attributes }) => [attributes.kind, attributes.changes])).toEqual([['left', null]])
    const snapshot = await page(workspace, 'cursor=start&payload=diff&resource=companies')
    expect(changesOf(snapshot.data)).toEqual([null])
    const [, updated] = await diffs()
    await runtime.engine.transaction((inside) =>
      sql`delete from audit_log where workspace_id = ${workspaceId} and id = ${updated?.id}`.run(inside),
    )
    expect(changesOf(await diffs())).toEqual([[], null])
  })

  it('leaves out archived fields, also if a later field has the code', async () => {
    const { api } = workspace
    await workspace.field('companies', { name: 'Area', type: 'text' })
    const { id } = await made(api, 'companies', { custom_fields: { area: 'A' } })
    await api.patch(`/companies/${id}`, { name: 'Two', custom_fields: { area: 'B' } })
    const names = async () => (await diffs('', '/companies')).at(-1)?.attributes.changes?.map(({ field }) => field)
    expect(await names()).toEqual(['custom_fields.area', 'name'])
    await api.delete('/schema/companies/fields/area')
    expect(await names()).toEqual(['name'])
    await api.delete('/schema/companies/fields/area?permanently=true')
    await workspace.field('companies', { name: 'Area', type: 'text' })
    expect(await names()).toEqual(['name'])
  })

  it('compact: the first before and the last after', async () => {
    const { api } = workspace
    const [a = '', b = '', c = ''] = await madeIds(api, 'companies', 3)
    const { id } = await made(api, 'tasks', { title: 'A', company_ids: [a] })
    cursor = await now(workspace)
    await api.patch(`/tasks/${id}`, { title: 'B', company_ids: [a, b] })
    await api.patch(`/tasks/${id}`, { title: 'C', company_ids: [c], custom_fields: { status: 'Done' } })
    const [entry] = await diffs('compact=true')
    expect(entry?.attributes.changes).toMatchObject([
      { field: 'company_ids', before: [a], after: [c] },
      { field: 'custom_fields.status', before: null, after: { label: 'Done' } },
      { field: 'title', before: 'A', after: 'C' },
    ])
    await gone(api, 'tasks', id)
    expect(changesOf(await diffs('compact=true'))).toEqual([[]])
  })

  it('fields applies to it, too', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await api.patch(`/companies/${id}`, { name: 'Two', custom_fields: { icp: true, domains: ['a.example'] } })
    const names = async (query: string, path = '') =>
      (await diffs(query, path)).at(-1)?.attributes.changes?.map(({ field }) => field)
    expect(await names('fields=name', '/companies')).toEqual(['name'])
    expect(await names('fields[companies]=custom_fields.icp')).toEqual(['custom_fields.icp'])
    expect(await names('fields=custom_fields', '/companies')).toEqual(['custom_fields.domains', 'custom_fields.icp'])
    expect(await names('fields[people]=name')).toHaveLength(3)
  })

  it('definitions and schemas have theirs, too', async () => {
    const { api } = workspace
    await workspace.field('companies', { name: 'Area', type: 'text' })
    await workspace.updateField('companies', 'area', { name: 'Region' })
    await api.put('/schema/projects', { name: 'Matters' })
    const entries = (await diffs()).filter(({ attributes }) => attributes.kind === 'updated')
    expect(entries.map(({ attributes: { resource, changes } }) => [resource, changes?.[0]])).toEqual([
      ['custom_fields', { field: 'name', before: 'Area', after: 'Region', truncated: false }],
      ['schemas', { field: 'name', before: 'Projects', after: 'Matters', truncated: false }],
    ])
  })

  it('values of a record that is gone are for those who may read its history', async () => {
    const { api, runtime, slug } = workspace
    const { id } = await made(api, 'companies')
    await api.patch(`/companies/${id}`, { name: 'Two' })
    const member = await workspace.member('member')
    expect((await enterAsMember(runtime, slug, member.email)).actor.role).toBe('member')
    const theirs = { api: await workspace.token({ user: member }) }
    const seen = async () => changesOf((await follow(theirs, cursor, 'payload=diff&resource=companies')).entries)
    expect(await seen()).toMatchObject([[], [{ before: 'One', after: 'Two' }]])
    await gone(api, 'companies', id)
    expect(await seen()).toEqual([[], null, []])
    expect(changesOf(await diffs('resource=companies'))).toMatchObject([[], [{ before: 'One' }], []])
  })

  it('comes in a stream, too; other payloads are 422', async () => {
    const { api } = workspace
    const { id } = await made(api, 'companies')
    await api.patch(`/companies/${id}`, { name: 'Two' })
    const headers = { Authorization: `Bearer ${api.token}` }
    const heard = await listenTo(`${api.base}/changes/stream?cursor=${cursor}&payload=diff`, headers)
    await expect.poll(() => heard.heard('change').length).toBe(2)
    const [, event] = heard.heard('change')
    expect(JSON.parse(event?.data ?? '').attributes.changes).toEqual([
      { field: 'name', before: 'One', after: 'Two', truncated: false },
    ])
    const refused = await apiAt(new URL(api.base).origin, api.token).get('/changes?cursor=now&payload=all')
    expect(refused.body.errors.payload[0]).toContain('diff')
  })
})
