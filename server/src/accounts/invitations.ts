import type { FreshInvitation, InvitationRow } from '@kith/contract/app/members'
import { newId, parseId } from '@kith/contract/id'
import { DAY_MS, INVITATION_DAYS, INVITATIONS_MAX } from '@kith/contract/limits'
import { refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../audit/write.ts'
import { requirePermission } from '../records/allow.ts'
import { readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { findUserByEmail } from '../storage/tables/accounts.ts'
import {
  countInvitations,
  deleteExpiredInvitations,
  deleteInvitation,
  findMemberByEmail,
  insertInvitation,
  loadInvitations,
} from '../storage/tables/members.ts'
import { refuseUnlessOwner } from './members.ts'
import { parseEmail, parseRole } from './parse-account.ts'
import { newLinkToken } from './token-format.ts'

export async function listInvitations(scope: Scope): Promise<InvitationRow[]> {
  requirePermission(scope, 'manage_members')
  const rows = await loadInvitations(scope.db, scope.workspace.id, scope.now().toISOString())
  return rows.map(({ id, email, role, inviter_id, inviter_name, created_at, expires_at }) => {
    return { id, email, role, invited_by: { id: inviter_id, name: inviter_name }, created_at, expires_at }
  })
}

/** Creates a link that adds a member once: for one email address, or for anyone with the link. */
export function createInvitation(
  scope: Scope,
  app_url: string,
  input: unknown,
): Promise<Omit<FreshInvitation, 'mailed'>> {
  requirePermission(scope, 'manage_members')
  const { email, role } = readInput(input, (fields) => {
    const sent = fields.optionalText('email')
    return {
      email: sent === undefined ? null : parseEmail(sent, 'email', fields.report),
      role: parseRole(fields.text('role'), fields.report),
    }
  })
  refuseUnlessOwner(scope, role)
  return inTransaction(scope, async (inside) => {
    const { id: workspace_id } = inside.workspace
    const now = inside.now()
    const created_at = now.toISOString()
    if (email !== null && (await findMemberByEmail(inside.db, workspace_id, email))) {
      refuseValue('email', `${email} is a member of this workspace already.`)
    }
    await deleteExpiredInvitations(inside.db, workspace_id, created_at)
    if ((await countInvitations(inside.db, workspace_id)) >= INVITATIONS_MAX) {
      refuseValue('email', `There are ${INVITATIONS_MAX} open invitations, which is the most. Withdraw some first.`)
    }
    const { token, hash } = newLinkToken()
    const expires_at = new Date(now.getTime() + INVITATION_DAYS * DAY_MS).toISOString()
    const shown = { id: newId(now.getTime()), email, role, created_at, expires_at }
    await insertInvitation(inside.db, { ...shown, workspace_id, hash, inviter_id: inside.actor.user_id })
    const entry = { action: 'create', resource: 'invitations', record_id: shown.id, name: email } as const
    await noteWrite(inside, [{ ...entry, changes: [['role', null, role]] }])
    const account = email === null ? undefined : await findUserByEmail(inside.db, email)
    const unverified_account = account?.verified === false
    return { ...shown, url: `${app_url}/invitation?token=${token}`, unverified_account }
  })
}

export function withdrawInvitation(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const record_id = parseId(id) ?? ''
    if (!(await deleteInvitation(inside.db, inside.workspace.id, record_id))) refuseUnknownId('invitation', id)
    await noteWrite(inside, [{ action: 'delete', resource: 'invitations', record_id }])
  })
}
