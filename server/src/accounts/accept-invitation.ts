import type { OpenInvitation } from '@kith/contract/app/members'
import { NAME_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser, findUserByEmail } from '../storage/tables/accounts.ts'
import { deleteInvitation, findInvitation, type OpenInvitationRow } from '../storage/tables/invitations.ts'
import { joinWorkspace, roleOf } from './members.ts'
import { hashLinkToken } from './sign-in/link-token.ts'
import { insertPrepared, prepareUser } from './users.ts'

/** What whoever opens the link is told. */
export async function readInvitation({ engine, now }: Runtime, token: string): Promise<OpenInvitation> {
  const { workspace_name, email, role } = await openInvitation(engine.db, token, now())
  const account_exists = email !== null && (await findUserByEmail(engine.db, email)) !== undefined
  return { workspace: { name: workspace_name }, email, role: roleOf(role), account_exists }
}

export type Accepted = {
  slug: string
  /** Set when an account was made. */
  account: { id: string; email: string } | undefined
}

/** `mail` says whether the service can send a mail with which an address is confirmed. */
type Acceptance = { token: string; input: unknown; mail: boolean }

/** Makes a member of whoever is signed in, or of a new account. */
export async function acceptInvitation(
  runtime: Runtime,
  asker: { user_id: string } | null,
  { token, input, mail }: Acceptance,
): Promise<Accepted> {
  const { engine } = runtime
  const invitation = await openInvitation(engine.db, token, runtime.now())
  if (!asker) return acceptAsNew(runtime, invitation, input)
  readInput(input, () => undefined)
  return acceptAs(runtime, asker.user_id, { invitation, mail })
}

async function acceptAs(
  runtime: Runtime,
  userId: string,
  { invitation, mail }: { invitation: OpenInvitationRow; mail: boolean },
): Promise<Accepted> {
  const user = await findUser(runtime.engine.db, userId)
  if (invitation.email !== null && user?.email !== invitation.email) {
    const message = `This invitation is for ${invitation.email}. Sign in with that address.`
    refuse({ kind: 'forbidden', message })
  }
  if (invitation.email !== null && mail && !user?.verified) refuseUnverified(invitation.email)
  await runtime.engine.transaction((inside) => take(runtime, inside, invitation, userId))
  return { slug: invitation.workspace_slug, account: undefined }
}

/** The invitation is for the person who has that address, and this account may belong to somebody else. */
function refuseUnverified(email: string): never {
  const message =
    `Confirm first that ${email} is your address: open the link in the mail that you got, ` +
    'or send another one from your profile. Then open this invitation again.'
  refuse({ kind: 'forbidden', message })
}

async function acceptAsNew(runtime: Runtime, invitation: OpenInvitationRow, input: unknown): Promise<Accepted> {
  const sent = readInput(input, (fields) => ({
    name: fields.text('name', NAME_MAX),
    password: fields.text('password'),
    email: invitation.email ?? fields.text('email'),
  }))
  // The link proves nothing about the address: its admin has seen it, too, and may have handed it to anybody.
  const prepared = await prepareUser(runtime, { ...sent, verified: false })
  const account = await runtime.engine.transaction(async (inside) => {
    const user = await insertPrepared(runtime, inside, prepared)
    await take(runtime, inside, invitation, user.id)
    return user
  })
  return { slug: invitation.workspace_slug, account }
}

/** Of several who take it at once one is first; the others have stored nothing. */
async function take(runtime: Runtime, inside: Db, invitation: OpenInvitationRow, user_id: string): Promise<void> {
  const { workspace_id, id, role } = invitation
  if (!(await deleteInvitation(inside, workspace_id, id))) refuseGone()
  await joinWorkspace(runtime, inside, { workspace_id, user_id, role: roleOf(role) })
}

/** An invitation lasts as long as whoever made it could make it again. */
async function openInvitation(db: Db, token: string, now: Date): Promise<OpenInvitationRow> {
  const found = await findInvitation(db, hashLinkToken(token))
  if (!found || found.expires_at <= now.toISOString() || found.inviter_role === null) return refuseGone()
  const needed = found.role === 'owner' ? 'manage_owners' : 'manage_members'
  return roleMay(roleOf(found.inviter_role), needed) ? found : refuseGone()
}

function refuseGone(): never {
  const message = 'This invitation does not exist, was used already or has expired. Ask for another one.'
  return refuse({ kind: 'not_found', message })
}
