import { registry } from '@kith/contract/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import { acceptInvitation, createInvitation, withdrawInvitation } from '../../../src/accounts/invitations.ts'
import { removeMember } from '../../../src/accounts/members.ts'
import { createResetLink } from '../../../src/accounts/sign-in/password-links.ts'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { listAudit } from '../../../src/changes/audit-log.ts'
import { createRecord } from '../../../src/records/write.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { archiveField } from '../../../src/schema/define.ts'
import { listFields, orderFields } from '../../../src/schema/managed.ts'
import { gone, made } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { audited, deeds, historyOf } from './audited.ts'
import { as } from './scopes.ts'

let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await newWorkspace()
})

describe('The audit log of a workspace', () => {
  it('shows members, roles, tokens, fields and the workspace', async () => {
    const member = await workspace.member('member')
    await workspace.setRole(member, 'admin')
    await removeMember(await workspace.scope(), { email: member.email })
    expect(await deeds(workspace, { resource: 'members' })).toEqual([
      `delete members ${member.email}`,
      `update members ${member.email}`,
      `create members ${member.email}`,
    ])
    const [, role] = await audited(workspace, { resource: 'members' })
    expect(role).toMatchObject({
      actor: null,
      source: 'cli',
      changes: [{ field: 'role', before: 'member', after: 'admin' }],
    })
    const { id } = await workspace.token()
    await workspace.revoke(id)
    await workspace.revoke(id)
    expect((await deeds(workspace, { resource: 'tokens' })).slice(0, 2)).toEqual([
      'revoke tokens test',
      'create tokens test',
    ])
    const token = (await audited(workspace, { resource: 'tokens' }))[1]
    expect(JSON.stringify(token)).not.toContain('kith_')
    await workspace.field('notes', { name: 'Mood', type: 'select', options: ['Good'] })
    await workspace.updateField('notes', 'mood', { name: 'Temper', options: ['Good', 'Bad'] })
    await archiveField(await workspace.scope(), { entity_type: 'notes', code: 'mood' })
    expect(await deeds(workspace, { resource: 'custom_fields' })).toEqual([
      'archive custom_fields Temper',
      'update custom_fields Temper',
      'create custom_fields Mood',
    ])
    expect((await audited(workspace, { resource: 'custom_fields' }))[1]?.changes).toMatchObject([
      { field: 'entity_type', after: 'notes' },
      { field: 'name', before: 'Mood', after: 'Temper' },
      { field: 'options', before: ['Good'], after: ['Good', 'Bad'] },
    ])
    expect((await audited(workspace, { resource: 'workspace' }))[0]).toMatchObject({
      action: 'create',
      record_id: workspace.id,
    })
  })

  it('shows invitations, who accepted them, links for a new password and the order of fields', async () => {
    const { runtime, slug, owner } = workspace
    const asOwner = await enterAsMember(runtime, slug, owner.id)
    const { url } = await createInvitation(asOwner, 'https://kith.example', { role: 'viewer' })
    const { id } = await createInvitation(asOwner, 'https://kith.example', { role: 'member', email: 'a@x.example' })
    await withdrawInvitation(asOwner, id)
    const guest = { name: 'Guest', email: `${slug}@x.example`, password: 'a long enough password' }
    const token = new URL(url).searchParams.get('token') ?? ''
    await acceptInvitation(runtime, null, { token, input: guest, mail: false })
    expect(await deeds(workspace, { resource: 'invitations' })).toEqual([
      'delete invitations a@x.example',
      'create invitations a@x.example',
      'create invitations null',
    ])
    const [joined] = await audited(workspace, { resource: 'members' })
    expect(joined).toMatchObject({
      action: 'create',
      record_name: guest.email,
      actor: { name: 'Guest' },
      source: 'web',
    })
    await createResetLink(asOwner, 'https://kith.example', joined?.record_id ?? '')
    expect((await audited(workspace, { resource: 'members' }))[0]).toMatchObject({
      action: 'reset_link',
      actor: { id: owner.id },
    })
    const fields = (await listFields(asOwner, 'people')).map((field) => field.code)
    await orderFields(asOwner, 'people', { input: { codes: fields.toReversed() }, issues: [] })
    const moved = await audited(workspace, { resource: 'custom_fields' })
    expect(moved).toHaveLength(fields.length)
    expect(moved[0]?.changes[1]).toMatchObject({ field: 'position' })
  })

  it('has one entry for sample records, however many they are', async () => {
    const before = (await audited(workspace)).length
    const sizes = { companies: 30, people: 30, opportunities: 0, tasks: 0, notes: 0 }
    await loadSample(await workspace.scope(), { sizes, seed: 1 })
    const entries = await audited(workspace)
    expect(entries).toHaveLength(before + 1)
    expect(entries[0]).toMatchObject({
      action: 'sample',
      changes: [{ field: 'companies', after: 30 }, { field: 'people' }],
    })
  })

  it('shows the source of a record', async () => {
    const scope = await workspace.scope()
    for (const source of ['web', 'mcp', 'import'] as const) {
      const through = { ...scope, actor: { ...scope.actor, source } }
      const asked = { raw: {}, loose: false, issues: [] }
      await createRecord(through, registry.notes, { body: { title: source }, asked })
    }
    expect((await audited(workspace, { resource: 'notes' })).map((entry) => [entry.source, entry.record_name])).toEqual(
      [
        ['import', 'import'],
        ['mcp', 'mcp'],
        ['web', 'web'],
      ],
    )
  })

  it('is scanned by cursor to its end', async () => {
    for (let index = 0; index < 7; index++) await made(workspace.api, index % 2 ? 'notes' : 'people')
    const scope = await workspace.scope()
    const all = (await audited(workspace)).map(({ id }) => id)
    const byCursor: string[] = []
    let cursor: string | null | undefined
    do {
      const part = await listAudit(scope, { per_page: 3, cursor })
      byCursor.push(...part.data.map(({ id }) => id))
      cursor = part.next_cursor
    } while (cursor !== null)
    expect(byCursor).toEqual(all)
    expect([...all].sort().reverse()).toEqual(all)
  })

  it('is for owners and admins; everyone who reads a record sees its history', async () => {
    const { id } = await made(workspace.api, 'notes', { title: 'Seen' })
    const scope = await workspace.scope()
    for (const role of ['member', 'viewer'] as const) {
      const who = as(scope, { role })
      expect((await refusalOf(listAudit(who, {})))[0]).toMatch(/^forbidden: .*read the audit log/)
      expect((await refusalOf(listAudit(who, { resource: 'tokens' })))[0]).toMatch(/^forbidden/)
      expect(await historyOf(who, 'notes', id)).toHaveLength(1)
    }
    expect((await listAudit(as(scope, { role: 'admin' }), {})).data.length).toBeGreaterThan(1)
    await gone(workspace.api, 'notes', id)
    const member = as(scope, { role: 'member' })
    expect((await refusalOf(historyOf(member, 'notes', id)))[0]).toMatch(/^not_found/)
    expect(await historyOf(scope, 'notes', id)).toHaveLength(2)
    const writer = as(scope, { abilities: ['create'] })
    expect((await refusalOf(listAudit(writer, {})))[0]).toContain('"read"')
  })

  it('shows nothing of another workspace', async () => {
    const neighbour = await newWorkspace()
    const { id } = await made(neighbour.api, 'notes')
    expect(await refusalOf(historyOf(await workspace.scope(), 'notes', id))).toEqual([
      expect.stringMatching(/^not_found: No note/),
    ])
    expect((await audited(workspace)).some((entry) => entry.record_id === id)).toBe(false)
  })

  it('refuses what it does not know', async () => {
    const scope = await workspace.scope()
    const problems = await refusalOf(listAudit(scope, { resource: 'company', per_page: 101, cursor: 'x' }))
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['cursor', 'resource', 'per_page'])
  })
})
