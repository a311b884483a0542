import type { Role } from '@kith/contract/abilities'
import { parseId } from '@kith/contract/id'
import { type Issue, reportInto } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/list-query'
import { roleMay } from '@kith/contract/permissions'
import { parseOrRefuse, refuse, refuseIfAny, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { type Auditor, noteWrite } from '../journal/write.ts'
import { notify } from '../notifications/notify.ts'
import type { RawParameters } from '../records/expected.ts'
import { presentUser, type ResourceObject } from '../records/present.ts'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { inSnapshot, inTransaction, type Runtime, type Tenancy } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser } from '../storage/tables/accounts.ts'
import {
  countMembers,
  countOwners,
  deleteMember,
  endMemberSessions,
  findMember,
  insertMember,
  loadManagers,
  loadMemberPage,
  loadMembers,
  type MemberRow,
  replaceRole,
} from '../storage/tables/members.ts'
import { addToCounts } from '../storage/tables/records.ts'
import { disableWebhooksOf } from '../storage/tables/webhooks.ts'
import { parseRole } from './parse-account.ts'
import { revokeInWorkspace } from './revoke-access.ts'
import { findPerson } from './users.ts'

export type Member = MemberRow

export function listMembers(scope: Tenancy): Promise<Member[]> {
  return loadMembers(scope.db, scope.workspace.id)
}

/** Adds a user, by email address or id. */
export function addMember(
  scope: Tenancy,
  input: {
    email: string
    role: string
    /** Accepts an account whose address is not verified. */
    unverified?: boolean
  },
): Promise<Member> {
  return changingMembers(scope, async (inside) => {
    requirePermission(inside, 'manage_members')
    const issues: Issue[] = []
    const report = reportInto(issues)
    const role = parseRole(input.role, report)
    const user = await findPerson(inside.db, input.email)
    if (!user) report('email', `No user has the email ${input.email}. Create the user first (kith user create).`)
    else if (await findMember(inside.db, inside.workspace.id, user.id)) {
      report('email', `${user.email} is a member of this workspace already.`)
    } else if (!user.verified && !input.unverified) report('email', unverifiedProblem(user.email))
    refuseIfAny(issues)
    if (user === undefined) throw new Error('A missing user was not reported.')
    refuseUnlessOwner(inside, role)
    const created_at = inside.now().toISOString()
    await insertMember(inside.db, { workspace_id: inside.workspace.id, user_id: user.id, role, created_at })
    await auditMember(inside, 'create', { user_id: user.id, email: user.email, before: null, after: role })
    await notifyJoined(inside, user.id)
    const { id: user_id, name, email, verified } = user
    return { user_id, name, email, verified, role, created_at }
  })
}

export function changeRole(scope: Tenancy, input: { email: string; role: string }): Promise<Member> {
  return changingMembers(scope, async (inside) => {
    requirePermission(inside, 'manage_members')
    const role = parseRole(input.role, refuseValue)
    const member = await requireMember(inside, input.email)
    if (member.role === role) return member
    refuseUnlessOwner(inside, member.role, role)
    if (member.role === 'owner') await refuseLastOwner(inside, 'given another role')
    await replaceRole(inside.db, { workspace_id: inside.workspace.id, user_id: member.user_id, role })
    await auditMember(inside, 'update', { ...member, before: member.role, after: role })
    if (!roleMay(role, 'create')) await disableWebhooksOf(inside, { user_id: member.user_id, reason: 'role' })
    return { ...member, role }
  })
}

/** Removes a member. Everyone may remove themselves. The member's tokens and connections are revoked permanently. */
export function removeMember(scope: Tenancy, input: { email: string }): Promise<Member> {
  return changingMembers(scope, async (inside) => {
    const member = await requireMember(inside, input.email)
    if (member.user_id !== inside.actor.user_id) {
      requirePermission(inside, 'manage_members')
      refuseUnlessOwner(inside, member.role)
    }
    if (member.role === 'owner') await refuseLastOwner(inside, 'removed')
    // Before the tokens are revoked, so that the reason of the member's own webhooks is that their creator left. Before
    // the member is deleted: who notifies the creator of a webhook has locked it before.
    await disableWebhooksOf(inside, { user_id: member.user_id, reason: 'creator' })
    await deleteMember(inside.db, inside.workspace.id, member.user_id)
    await auditMember(inside, 'delete', { ...member, before: member.role, after: null })
    await revokeInWorkspace(inside, member.user_id)
    return member
  })
}

/**
 * Ends the sessions of a member in this workspace: to open it they must sign in again. Other workspaces stay open,
 * because an admin of one workspace has no rights there. Tokens and connections are revoked separately.
 */
export function endSessionsOf(scope: Tenancy, memberId: string): Promise<void> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const { user_id, email } = await requireManaged(inside, memberId)
    await endMemberSessions(inside.db, { workspace_id: inside.workspace.id, user_id, at: inside.now().toISOString() })
    await noteWrite(inside, [{ action: 'end_sessions', resource: 'members', record_id: user_id, name: email }])
  })
}

/** A member by id whom the actor may manage. */
export async function requireManaged(inside: Tenancy, memberId: string): Promise<Member> {
  const member = await findMember(inside.db, inside.workspace.id, parseId(memberId) ?? '')
  if (!member) refuseUnknownId('member', memberId)
  refuseUnlessOwner(inside, member.role)
  return member
}

/** Adds a user; the caller has checked that they may join. An existing member keeps their role. */
export async function joinWorkspace(
  { engine, now }: Runtime,
  inside: Db,
  { workspace_id, user_id, role }: { workspace_id: string; user_id: string; role: Role },
): Promise<void> {
  await engine.lock(inside, [`members ${workspace_id}`])
  if (await findMember(inside, workspace_id, user_id)) return
  await insertMember(inside, { workspace_id, user_id, role, created_at: now().toISOString() })
  const actor = { user_id, source: 'web', token_id: null } as const
  const joining = { engine, db: inside, now, workspace: { id: workspace_id }, actor }
  const email = (await findUser(inside, user_id))?.email ?? null
  await auditMember(joining, 'create', { user_id, email, before: null, after: role })
  await notifyJoined(joining, user_id)
  await addToCounts(joining, 'companies', 0)
}

/** Tells the owners and admins that a user has joined. */
async function notifyJoined(inside: Auditor, user_id: string): Promise<void> {
  const managers = await loadManagers(inside)
  const about = { reason: 'joined', resource: null, record_id: user_id } as const
  await notify(
    inside,
    managers.filter((id) => id !== user_id).map((id) => ({ user_id: id, ...about })),
  )
}

/** The message tells the operator how to handle an account whose address is not verified. */
export function unverifiedProblem(email: string): string {
  return (
    `The account ${email} is unverified: another person may have made it with this address. Verify the address ` +
    `(kith user verify --email ${email}), or accept the account as it is (--unverified).`
  )
}

/** Locks the members of the workspace, so that two owners cannot remove each other. */
function changingMembers<T>(scope: Tenancy, work: (inside: Tenancy) => Promise<T>): Promise<T> {
  return inTransaction(scope, async (inside) => {
    await inside.engine.lock(inside.db, [`members ${inside.workspace.id}`])
    const member = await work(inside)
    // Filters depend on the members, so cached results of every resource are outdated.
    await addToCounts(inside, 'companies', 0)
    return member
  })
}

async function auditMember(
  inside: Auditor,
  action: 'create' | 'update' | 'delete',
  { user_id, email, before, after }: { user_id: string; email: string | null; before: Role | null; after: Role | null },
): Promise<void> {
  const entry = { action, resource: 'members', record_id: user_id, name: email } as const
  const at = inside.now().toISOString()
  // Members have no role in the feed.
  const change = action === 'update' ? undefined : ({ kind: `${action}d`, at } as const)
  await noteWrite(inside, [{ ...entry, changes: [['role', before, after]], change }])
}

async function requireMember(inside: Tenancy, emailOrId: string): Promise<Member> {
  const user = await findPerson(inside.db, emailOrId)
  const member = user && (await findMember(inside.db, inside.workspace.id, user.id))
  return member ?? refuse({ kind: 'not_found', message: `${emailOrId} is not a member of this workspace.` })
}

/** Only owners may make or change owners. */
export function refuseUnlessOwner(scope: Tenancy, ...touched: Role[]): void {
  if (touched.includes('owner')) requirePermission(scope, 'manage_owners')
}

async function refuseLastOwner(inside: Tenancy, done: string): Promise<void> {
  if ((await countOwners(inside.db, inside.workspace.id)) > 1) return
  refuseValue('role', `The last owner of a workspace cannot be ${done}. Make another member an owner first.`)
}

/** One page of the members of the workspace, by id. */
export async function listUsers(
  scope: Tenancy,
  asked: RawParameters,
): Promise<{ data: ResourceObject[]; page: number; per_page: number; total: number }> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parseOrRefuse(asked.issues, (report) => parsePageQuery(asked.raw, [], report))
  return inSnapshot(scope, async ({ db, workspace }) => {
    const rows = await loadMemberPage(db, workspace.id, { offset: (page - 1) * per_page, limit: per_page })
    const data = rows.map((row) => presentUser(row, new Map()))
    return { data, page, per_page, total: await countMembers(db, workspace.id) }
  })
}
