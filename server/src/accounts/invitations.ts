import type { FreshInvitation, InvitationRow, OpenInvitation } from '@kith/contract/app/members'
import { newId, parseId } from '@kith/contract/id'
import { DAY_MS, INVITATION_DAYS, INVITATIONS_MAX, NAME_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../journal/write.ts'
import { requirePermission } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import { inTransaction, type Runtime, type Scope } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser, findUserByEmail } from '../storage/tables/accounts.ts'
import {
  deleteExpiredInvitations,
  deleteInvitationsTo,
  findInvitation,
  findMemberByEmail,
  invitationTable,
  loadInvitations,
  type OpenInvitationRow,
} from '../storage/tables/members.ts'
import { joinWorkspace, refuseUnlessOwner } from './members.ts'
import { parseEmail, parseRole } from './parse-account.ts'
import { hashLinkToken, newLinkToken } from './tokens.ts'
import { insertPrepared, prepareUser } from './users.ts'

export async function listInvitations(scope: Scope): Promise<InvitationRow[]> {
  requirePermission(scope, 'manage_members')
  const rows = await loadInvitations(scope.db, scope.workspace.id, scope.now().toISOString())
  return rows.map(({ id, email, role, inviter_id, inviter_name, created_at, expires_at }) => {
    return { id, email, role, invited_by: { id: inviter_id, name: inviter_name }, created_at, expires_at }
  })
}

/**
 * Creates a link that adds a member once: for one email address, or for anyone with the link. An earlier link for the
 * same address stops working.
 */
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
    // Lock, so that concurrent requests see each other's invitations.
    await inside.engine.lock(inside.db, [`invitations ${workspace_id}`])
    await deleteExpiredInvitations(inside.db, workspace_id, created_at)
    // An address has one link at a time, with the role that was chosen last.
    const replaced = email === null ? [] : await deleteInvitationsTo(inside.db, workspace_id, email)
    if ((await invitationTable.count(inside)) >= INVITATIONS_MAX) {
      refuseValue('email', `There are ${INVITATIONS_MAX} open invitations, the maximum. Withdraw some first.`)
    }
    const { token, hash } = newLinkToken()
    const expires_at = new Date(now.getTime() + INVITATION_DAYS * DAY_MS).toISOString()
    const shown = { id: newId(now.getTime()), email, role, created_at, expires_at }
    await invitationTable.insert(inside, { ...shown, hash, inviter_id: inside.actor.user_id })
    const entry = { action: 'create', resource: 'invitations', record_id: shown.id, name: email } as const
    await noteWrite(inside, [
      ...replaced.map((id) => ({ action: 'delete', resource: 'invitations', record_id: id, name: email }) as const),
      { ...entry, changes: [['role', null, role]] },
    ])
    const account = email === null ? undefined : await findUserByEmail(inside.db, email)
    const unverified_account = account?.verified === false
    return { ...shown, url: `${app_url}/invitation?token=${token}`, unverified_account }
  })
}

export function withdrawInvitation(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const record_id = parseId(id) ?? ''
    if ((await invitationTable.remove(inside, { id: record_id })) === 0) refuseUnknownId('invitation', id)
    await noteWrite(inside, [{ action: 'delete', resource: 'invitations', record_id }])
  })
}

/** The content of the page behind the link. */
export async function readInvitation({ engine, now }: Runtime, token: string): Promise<OpenInvitation> {
  const { workspace_name, email, role } = await openInvitation(engine.db, token, now())
  const account_exists = email !== null && (await findUserByEmail(engine.db, email)) !== undefined
  return { workspace: { name: workspace_name }, email, role, account_exists }
}

type Membership = {
  slug: string
  /** Set when an account was created. */
  account: { id: string; email: string } | undefined
}

/**
 * Adds the signed-in user, or a new account, to the workspace. `mail` says whether the service can send mail to
 * confirm an address.
 */
export async function acceptInvitation(
  runtime: Runtime,
  user: { user_id: string } | null,
  { token, input, mail }: { token: string; input: unknown; mail: boolean },
): Promise<Membership> {
  const { engine } = runtime
  const invitation = await openInvitation(engine.db, token, runtime.now())
  if (!user) return acceptAsNew(runtime, invitation, input)
  readInput(input, () => undefined)
  return acceptAs(runtime, user.user_id, { invitation, mail })
}

async function acceptAs(
  runtime: Runtime,
  userId: string,
  { invitation, mail }: { invitation: OpenInvitationRow; mail: boolean },
): Promise<Membership> {
  const user = await findUser(runtime.engine.db, userId)
  if (invitation.email !== null && user?.email !== invitation.email) {
    const message = `This invitation is for ${invitation.email}. Sign in with that address.`
    refuse({ kind: 'forbidden', message })
  }
  if (invitation.email !== null && mail && !user?.verified) refuseUnverified(invitation.email)
  await runtime.engine.transaction((inside) => take(runtime, inside, { invitation, user_id: userId }))
  return { slug: invitation.workspace_slug, account: undefined }
}

/**
 * The invitation is for the owner of the address. An account with an unverified address may belong to another person.
 */
function refuseUnverified(email: string): never {
  const message =
    `Confirm first that ${email} is your address: open the link in the mail that you got, ` +
    'or send another one from your profile. Then open this invitation again.'
  refuse({ kind: 'forbidden', message })
}

async function acceptAsNew(runtime: Runtime, invitation: OpenInvitationRow, input: unknown): Promise<Membership> {
  const sent = readInput(input, (fields) => ({
    name: fields.text('name', NAME_MAX),
    password: fields.text('password'),
    email: invitation.email ?? fields.text('email'),
  }))
  // The link does not prove the address: the admin has seen it and may have passed it on.
  const prepared = await prepareUser(runtime, { ...sent, verified: false })
  const account = await runtime.engine.transaction(async (inside) => {
    const user = await insertPrepared(runtime, inside, prepared)
    await take(runtime, inside, { invitation, user_id: user.id })
    return user
  })
  return { slug: invitation.workspace_slug, account }
}

/** Of concurrent requests only one deletes the invitation; the others are rolled back. */
async function take(
  runtime: Runtime,
  inside: Db,
  { invitation, user_id }: { invitation: OpenInvitationRow; user_id: string },
): Promise<void> {
  const { workspace_id, id, role } = invitation
  const taken = await invitationTable.remove({ db: inside, workspace: { id: workspace_id } }, { id })
  if (taken === 0) refuseGone()
  await joinWorkspace(runtime, inside, { workspace_id, user_id, role })
}

/** An invitation is valid as long as its inviter may still create it. */
async function openInvitation(db: Db, token: string, now: Date): Promise<OpenInvitationRow> {
  const found = await findInvitation(db, hashLinkToken(token))
  if (!found || found.expires_at <= now.toISOString() || found.inviter_role === null) return refuseGone()
  const needed = found.role === 'owner' ? 'manage_owners' : 'manage_members'
  return roleMay(found.inviter_role, needed) ? found : refuseGone()
}

function refuseGone(): never {
  const message = 'This invitation does not exist, was used already or has expired. Ask for another one.'
  return refuse({ kind: 'not_found', message })
}
