import type { OpenInvitation } from '@kith/contract/app/members'
import { NAME_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser, findUserByEmail } from '../storage/tables/accounts.ts'
import { deleteInvitation, findInvitation, type OpenInvitationRow } from '../storage/tables/members.ts'
import { joinWorkspace } from './members.ts'
import { hashLinkToken } from './token-format.ts'
import { insertPrepared, prepareUser } from './users.ts'

/** What the page behind the link shows. */
export async function readInvitation({ engine, now }: Runtime, token: string): Promise<OpenInvitation> {
  const { workspace_name, email, role } = await openInvitation(engine.db, token, now())
  const account_exists = email !== null && (await findUserByEmail(engine.db, email)) !== undefined
  return { workspace: { name: workspace_name }, email, role, account_exists }
}

type Accepted = {
  slug: string
  /** Set when an account was made. */
  account: { id: string; email: string } | undefined
}

/** `mail` says whether the service can send mail to confirm an address. */
type Acceptance = { token: string; input: unknown; mail: boolean }

/** Adds the signed-in user, or a new account, to the workspace. */
export async function acceptInvitation(
  runtime: Runtime,
  user: { user_id: string } | null,
  { token, input, mail }: Acceptance,
): Promise<Accepted> {
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
): Promise<Accepted> {
  const user = await findUser(runtime.engine.db, userId)
  if (invitation.email !== null && user?.email !== invitation.email) {
    const message = `This invitation is for ${invitation.email}. Sign in with that address.`
    refuse({ kind: 'forbidden', message })
  }
  if (invitation.email !== null && mail && !user?.verified) refuseUnverified(invitation.email)
  await runtime.engine.transaction((inside) => take(runtime, inside, { invitation, user_id: userId }))
  return { slug: invitation.workspace_slug, account: undefined }
}

/** The invitation is for the owner of the address, and this account may belong to another person. */
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
  if (!(await deleteInvitation(inside, workspace_id, id))) refuseGone()
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
