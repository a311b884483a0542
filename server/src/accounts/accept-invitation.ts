import type { OpenInvitation } from '@kith/contract/app/members'
import { NAME_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { findUser, findUserByEmail } from '../db/accounts.ts'
import type { Db } from '../db/engine.ts'
import { deleteInvitation, findInvitation, type OpenInvitationRow } from '../db/invitations.ts'
import { readInput } from '../read-input.ts'
import type { House } from '../scope.ts'
import { hashLinkToken } from './link-token.ts'
import { joinWorkspace, roleOf } from './members.ts'
import { insertPrepared, prepareUser } from './users.ts'

/** What whoever opens the link is told. */
export async function readInvitation({ engine, now }: House, token: string): Promise<OpenInvitation> {
  const { workspace_name, email, role } = await openInvitation(engine.db, token, now())
  const account_exists = email !== null && (await findUserByEmail(engine.db, email)) !== undefined
  return { workspace: { name: workspace_name }, email, role: roleOf(role), account_exists }
}

export type Accepted = { slug: string /** Set when an account was made. */; account: string | undefined }

/** Makes a member of whoever is signed in, or of a new account. */
export async function acceptInvitation(
  house: House,
  asker: { user_id: string } | null,
  { token, input }: { token: string; input: unknown },
): Promise<Accepted> {
  const { engine } = house
  const invitation = await openInvitation(engine.db, token, house.now())
  return asker ? acceptAs(house, asker.user_id, invitation, input) : acceptAsNew(house, invitation, input)
}

async function acceptAs(
  house: House,
  userId: string,
  invitation: OpenInvitationRow,
  input: unknown,
): Promise<Accepted> {
  readInput(input, () => undefined)
  const user = await findUser(house.engine.db, userId)
  if (invitation.email !== null && user?.email !== invitation.email) {
    const message = `This invitation is for ${invitation.email}. Sign in with that address.`
    refuse({ kind: 'forbidden', message })
  }
  await house.engine.transaction((inside) => take(house, inside, invitation, userId))
  return { slug: invitation.workspace_slug, account: undefined }
}

async function acceptAsNew(house: House, invitation: OpenInvitationRow, input: unknown): Promise<Accepted> {
  const sent = readInput(input, (fields) => ({
    name: fields.text('name', NAME_MAX),
    password: fields.text('password'),
    email: invitation.email ?? fields.text('email'),
  }))
  const prepared = await prepareUser(house, sent)
  await house.engine.transaction(async (inside) => {
    const { id } = await insertPrepared(house, inside, prepared)
    await take(house, inside, invitation, id)
  })
  return { slug: invitation.workspace_slug, account: prepared.email }
}

/** Of several who take it at once one is first; the others have stored nothing. */
async function take(house: House, inside: Db, invitation: OpenInvitationRow, user_id: string): Promise<void> {
  const { workspace_id, id, role } = invitation
  if (!(await deleteInvitation(inside, workspace_id, id))) refuseGone()
  await joinWorkspace(house, inside, { workspace_id, user_id, role: roleOf(role) })
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
