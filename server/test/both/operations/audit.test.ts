import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { acceptInvitation } from '../../../src/accounts/accept-invitation.ts'
import { enterAsMember } from '../../../src/accounts/enter-workspace.ts'
import { createInvitation, withdrawInvitation } from '../../../src/accounts/invitations.ts'
import { removeMember } from '../../../src/accounts/members.ts'
import { createResetLink } from '../../../src/accounts/sign-in/password-links.ts'
import { type AuditParams, listAudit } from '../../../src/audit/list.ts'
import { archiveField } from '../../../src/fields/archive.ts'
import { listFields } from '../../../src/fields/list.ts'
import { orderFields } from '../../../src/fields/order.ts'
import { createRecord } from '../../../src/records/create.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { undoMerge } from '../../../src/records/merge/undo-merge.ts'
import { restoreRecord } from '../../../src/records/trash/restore.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { as } from './scopes.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

async function audit(asked: AuditParams = {}) {
  return (await listAudit(await workspace.scope(), { per_page: 100, ...asked })).data
}

async function history(resource: string, record_id: string) {
  return audit({ resource, record_id })
}

/** What was done, in short. */
async function deeds(asked: AuditParams): Promise<string[]> {
  return (await audit(asked)).map(({ action, resource, record_name }) => `${action} ${resource} ${record_name}`)
}

describe('The history of a record', () => {
  it.each(resourceNames)('%s: tells who made, changed, deleted and restored it, latest first', async (type) => {
    const { api, owner } = workspace
    const { label } = registry[type]
    const { id, attributes } = await made(api, type, { [label]: 'First' })
    await api.patch(`/${type}/${id}`, { [label]: 'Second' })
    await gone(api, type, id)
    await restoreRecord(await enterAsMember(workspace.runtime, workspace.slug, owner.id), registry[type], { id })
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

  it('tells before and after of every attribute, value and link that changed, and of no other', async () => {
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
    expect(await deeds({ resource: 'people' })).toEqual(['create people Ada'])
  })

  it('tells an upsert by what it did', async () => {
    const upsert = (name: string) =>
      workspace.api.post('/people/upsert', { name, match: { field: 'emails', value: 'a@x.example' } })
    await upsert('Ada')
    await upsert('Ada L')
    expect(await deeds({ resource: 'people' })).toEqual(['update people Ada L', 'create people Ada L'])
  })

  it('keeps the beginning of long texts', async () => {
    const { id } = await made(workspace.api, 'notes')
    await workspace.api.patch(`/notes/${id}`, { custom_fields: { body: 'x'.repeat(5000) } })
    const after = (await history('notes', id))[0]?.changes[0]?.after
    expect(after).toBe(`${'x'.repeat(1000)}…`)
  })

  it('tells of merges and their undoing, on the winner, the losers and what was moved', async () => {
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
    const [away, merged] = await history('companies', winner.id)
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

describe('The audit log of a workspace', () => {
  it('tells of members, roles, tokens, fields and the workspace', async () => {
    const member = await workspace.member('member')
    await workspace.setRole(member, 'admin')
    await removeMember(await workspace.scope(), { email: member.email })
    expect(await deeds({ resource: 'members' })).toEqual([
      `delete members ${member.email}`,
      `update members ${member.email}`,
      `create members ${member.email}`,
    ])
    const [, role] = await audit({ resource: 'members' })
    expect(role).toMatchObject({
      actor: null,
      source: 'cli',
      changes: [{ field: 'role', before: 'member', after: 'admin' }],
    })
    const { id } = await workspace.token()
    await workspace.revoke(id)
    await workspace.revoke(id)
    expect((await deeds({ resource: 'tokens' })).slice(0, 2)).toEqual(['revoke tokens test', 'create tokens test'])
    const token = (await audit({ resource: 'tokens' }))[1]
    expect(JSON.stringify(token)).not.toContain('kith_')
    await workspace.field('notes', { name: 'Mood', type: 'select', options: ['Good'] })
    await workspace.updateField('notes', 'mood', { name: 'Temper', options: ['Good', 'Bad'] })
    await archiveField(await workspace.scope(), { entity_type: 'notes', code: 'mood' })
    expect(await deeds({ resource: 'custom_fields' })).toEqual([
      'archive custom_fields Temper',
      'update custom_fields Temper',
      'create custom_fields Mood',
    ])
    expect((await audit({ resource: 'custom_fields' }))[1]?.changes).toMatchObject([
      { field: 'entity_type', after: 'notes' },
      { field: 'name', before: 'Mood', after: 'Temper' },
      { field: 'options', before: ['Good'], after: ['Good', 'Bad'] },
    ])
    expect((await audit({ resource: 'workspace' }))[0]).toMatchObject({ action: 'create', record_id: workspace.id })
  })

  it('tells of invitations, who took them, links for a new password and the order of fields', async () => {
    const { runtime, slug, owner } = workspace
    const asOwner = await enterAsMember(runtime, slug, owner.id)
    const { url } = await createInvitation(asOwner, 'https://kith.example', { role: 'viewer' })
    const { id } = await createInvitation(asOwner, 'https://kith.example', { role: 'member', email: 'a@x.example' })
    await withdrawInvitation(asOwner, id)
    const guest = { name: 'Guest', email: `${slug}@x.example`, password: 'a long enough password' }
    const token = new URL(url).searchParams.get('token') ?? ''
    await acceptInvitation(runtime, null, { token, input: guest, mail: false })
    expect(await deeds({ resource: 'invitations' })).toEqual([
      'delete invitations a@x.example',
      'create invitations a@x.example',
      'create invitations null',
    ])
    const [joined] = await audit({ resource: 'members' })
    expect(joined).toMatchObject({
      action: 'create',
      record_name: guest.email,
      actor: { name: 'Guest' },
      source: 'web',
    })
    await createResetLink(asOwner, 'https://kith.example', joined?.record_id ?? '')
    expect((await audit({ resource: 'members' }))[0]).toMatchObject({ action: 'reset_link', actor: { id: owner.id } })
    const fields = (await listFields(asOwner, 'people')).map((field) => field.id)
    await orderFields(asOwner, { entity_type: 'people', ids: [...fields].reverse() })
    const moved = await audit({ resource: 'custom_fields' })
    expect(moved).toHaveLength(fields.length)
    expect(moved[0]?.changes[1]).toMatchObject({ field: 'position' })
  })

  it('has one entry for sample records, however many they are', async () => {
    const before = (await audit()).length
    const sizes = { companies: 30, people: 30, opportunities: 0, tasks: 0, notes: 0 }
    await loadSample(await workspace.scope(), { sizes, seed: 1 })
    const entries = await audit()
    expect(entries).toHaveLength(before + 1)
    expect(entries[0]).toMatchObject({
      action: 'sample',
      changes: [{ field: 'companies', after: 30 }, { field: 'people' }],
    })
  })

  it('tells the source of a record', async () => {
    const scope = await workspace.scope()
    for (const source of ['web', 'mcp', 'import'] as const) {
      const through = { ...scope, actor: { ...scope.actor, source } }
      const asked = { raw: {}, loose: false, issues: [] }
      await createRecord(through, registry.notes, { body: { title: source }, asked })
    }
    expect((await audit({ resource: 'notes' })).map((entry) => [entry.source, entry.record_name])).toEqual([
      ['import', 'import'],
      ['mcp', 'mcp'],
      ['web', 'web'],
    ])
  })

  it('is walked by page or by cursor to its end', async () => {
    for (let index = 0; index < 7; index++) await made(workspace.api, index % 2 ? 'notes' : 'people')
    const scope = await workspace.scope()
    const all = (await audit()).map(({ id }) => id)
    const byPage: string[] = []
    for (let page = 1; page < 20; page++) {
      byPage.push(...(await listAudit(scope, { page, per_page: 2 })).data.map(({ id }) => id))
    }
    const byCursor: string[] = []
    let cursor: string | null | undefined
    do {
      const part = await listAudit(scope, { per_page: 3, cursor })
      byCursor.push(...part.data.map(({ id }) => id))
      cursor = part.next_cursor
    } while (cursor !== null)
    expect([byPage, byCursor]).toEqual([all, all])
    expect([...all].sort().reverse()).toEqual(all)
  })

  it('is for owners and admins; everyone who reads a record sees its history', async () => {
    const { id } = await made(workspace.api, 'notes', { title: 'Seen' })
    const scope = await workspace.scope()
    for (const role of ['member', 'viewer'] as const) {
      const who = as(scope, { role })
      expect((await refusalOf(listAudit(who, {})))[0]).toMatch(/^forbidden: .*read the audit log/)
      expect((await refusalOf(listAudit(who, { resource: 'tokens' })))[0]).toMatch(/^forbidden/)
      expect((await listAudit(who, { resource: 'notes', record_id: id })).data).toHaveLength(1)
    }
    expect((await listAudit(as(scope, { role: 'admin' }), {})).data.length).toBeGreaterThan(1)
    await gone(workspace.api, 'notes', id)
    const member = as(scope, { role: 'member' })
    expect((await refusalOf(listAudit(member, { resource: 'notes', record_id: id })))[0]).toMatch(/^not_found/)
    expect((await listAudit(scope, { resource: 'notes', record_id: id })).data).toHaveLength(2)
    const writer = as(scope, { abilities: ['create'] })
    expect((await refusalOf(listAudit(writer, {})))[0]).toContain('"read"')
  })

  it('shows nothing of another workspace', async () => {
    const neighbour = await newWorkspace()
    const { id } = await made(neighbour.api, 'notes')
    expect(await refusalOf(history('notes', id))).toEqual([expect.stringMatching(/^not_found: No note/)])
    expect((await audit()).some((entry) => entry.record_id === id)).toBe(false)
  })

  it('refuses what it does not know', async () => {
    const scope = await workspace.scope()
    const wrong = { resource: 'company', record_id: NOWHERE, page: 0, per_page: 101, cursor: 'x' }
    const problems = await refusalOf(listAudit(scope, wrong))
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'page',
      'per_page',
      'cursor',
      'resource',
      'record_id',
    ])
    expect((await refusalOf(listAudit(scope, { resource: 'members', record_id: NOWHERE })))[0]).toMatch(/^record_id/)
  })
})
