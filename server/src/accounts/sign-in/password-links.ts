import type { FactorsAnswer } from '@kith/contract/app/factors'
import { newId } from '@kith/contract/id'
import { HOUR_MS, PASSWORD_LINK_HOURS, PASSWORD_LINK_OF_ADMIN_HOURS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../../journal/write.ts'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import { requirePermission } from '../../scope/permissions.ts'
import { readInput } from '../../scope/read-input.ts'
import { inTransaction, type Runtime, type Scope } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  findUser,
  findUserByEmail,
  type LinkSource,
  markVerified,
  type PasswordLinkRow,
  passwordLinkTable,
  replacePassword,
  type UserRow,
} from '../../storage/tables/accounts.ts'
import { loadSharedMemberships } from '../../storage/tables/members.ts'
import { requireManaged } from '../members.ts'
import { checkPassword } from '../parse-account.ts'
import { revokeEverywhere } from '../revoke-access.ts'
import { hashLinkToken, newLinkToken } from '../tokens.ts'
import { hashed, lockEmails, requireUser } from '../users.ts'
import { readFactors } from './factors.ts'

/** The mail with a link for a new password; undefined if there is no user with the address. */
export async function resetMail(runtime: Runtime, app_url: string, input: unknown): Promise<Mail | undefined> {
  const email = readInput(input, (fields) => fields.text('email'))
    .trim()
    .toLowerCase()
  const made = await runtime.engine.transaction(async (inside) => {
    // Lock, so that no link goes to an address that the user is changing at the same time.
    await lockEmails(runtime, inside, [email])
    const user = await findUserByEmail(inside, email)
    const link = user && ({ user_id: user.id, source: 'mail', app_url, now: runtime.now() } as const)
    return link && { user, url: await makeLink(inside, link) }
  })
  if (!made) return undefined
  const { user, url } = made
  return mailOf(user.email, told`A new password for Kith`, [
    told`Hello ${user.name},`,
    told`we received a request for a new password for your Kith account. If it was you, choose one here within an hour:`,
    asIs(url),
    told`If it was not you, ignore this mail: your password does not change.`,
  ])
}

/** A link for choosing a new password that an admin passes on, for installations without mail. */
export function createResetLink(scope: Scope, app_url: string, memberId: string): Promise<{ url: string }> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const { user_id, email } = await requireManaged(inside, memberId)
    const reset = { user_id, workspace_id: inside.workspace.id, creator_id: inside.actor.user_id }
    if (!(await mayReset(inside.db, reset))) refuseBeyond()
    await noteWrite(inside, [{ action: 'reset_link', resource: 'members', record_id: user_id, name: email }])
    return { url: await makeLink(inside.db, { ...reset, source: 'admin', app_url, now: inside.now() }) }
  })
}

/** A link for choosing a new password of any account, for the operator. */
export async function createOperatorLink(runtime: Runtime, app_url: string, email: string): Promise<{ url: string }> {
  const { id: user_id } = await requireUser(runtime.engine.db, email)
  const link = { user_id, source: 'operator', app_url, now: runtime.now() } as const
  return { url: await runtime.engine.transaction((inside) => makeLink(inside, link)) }
}

/** The link with which a user that the operator created chooses the first password. */
export function createSignInLink(runtime: Runtime, app_url: string, user: { id: string }): Promise<string> {
  const link = { user_id: user.id, source: 'new', app_url, now: runtime.now() } as const
  return runtime.engine.transaction((inside) => makeLink(inside, link))
}

/**
 * Sets the password with a link, once, and revokes all sessions, tokens and connections of the user, unless it is the
 * first password. Returns the email address of the user, and a notice to it. Second factors stay: without them, a
 * stolen mailbox would open what they protect.
 */
export async function resetPassword(
  runtime: Runtime,
  { input, provider }: { input: unknown; provider: string | null },
): Promise<{ email: string; notice: Mail | undefined } | undefined> {
  const { token, new_password } = readInput(input, (fields) => {
    const sent = { token: fields.text('token'), new_password: fields.text('new_password') }
    if (sent.new_password !== '') checkPassword(sent.new_password, fields.report, 'new_password')
    return sent
  })
  const link = hashLinkToken(token)
  const found = await passwordLinkTable.find(runtime.engine.db, { hash: link })
  const now = runtime.now()
  if (!found || found.expires_at <= now.toISOString()) return refuseGone()
  const hash = await hashed(new_password)
  await runtime.engine.transaction(async (inside) => {
    // Check the creator's rights again: memberships and roles may have changed.
    const isTaken = (await passwordLinkTable.remove(inside, { hash: link })) > 0
    if (!isTaken || !(await stillMayReset(inside, found))) refuseGone()
    await passwordLinkTable.remove(inside, { user_id: found.user_id })
    const at = now.toISOString()
    await replacePassword(inside, { id: newId(now.getTime()), user_id: found.user_id, hash, at })
    // The link was sent only to the mailbox of the account.
    if (found.source === 'mail') await markVerified(inside, found.user_id, at)
    // A new account had no password that others could know, and its tokens may already be in use.
    if (found.source !== 'new') await revokeEverywhere(runtime, inside, found.user_id)
  })
  const user = await findUser(runtime.engine.db, found.user_id)
  if (!user) return undefined
  const factors = await readFactors(runtime.engine.db, { user_id: user.id, session_id: '' }, provider)
  return { email: user.email, notice: found.source === 'new' ? undefined : resetNotice(user, factors) }
}

/** Says which ways to sign in are left: another person who knew the password may have added one. */
function resetNotice(user: UserRow, { passkeys, totp, provider }: FactorsAnswer): Mail {
  const left = [
    ...passkeys.map(({ name, created_at }) => {
      const day = created_at === null ? 'an unknown day' : created_at.slice(0, 10)
      return told`- the passkey ${name ?? 'without a name'}, added on ${asIs(day)}`
    }),
    ...(totp ? [told`- an authenticator app, whose code is asked for after the password`] : []),
    ...(provider?.connected ? [told`- ${provider.name}`] : []),
  ]
  return mailOf(user.email, told`The password of your Kith account was reset`, [
    told`Hello ${user.name},`,
    told`your Kith account has a new password. ${asIs(ENDED)}`,
    ...(left.length > 0 ? [told`These other ways to sign in have not changed:`, ...left, asIs(UNKNOWN_FACTOR)] : []),
    told`If it was not you who reset the password, tell an owner of your workspace or the operator of Kith at once.`,
  ])
}

const ENDED =
  'You are signed out everywhere. Your access tokens and connected apps are revoked, your invitations are withdrawn, ' +
  'your webhooks are disabled and your imports have stopped.'

const UNKNOWN_FACTOR =
  'If you do not know one of them, remove it in the settings under Password and sign-in. If that takes a second ' +
  'factor that you do not have, ask the operator of Kith to remove all of them (kith user reset-two-factor).'

function stillMayReset(inside: Db, { source, user_id, workspace_id, creator_id }: PasswordLinkRow): Promise<boolean> {
  if (source !== 'admin') return Promise.resolve(true)
  return mayReset(inside, { user_id, workspace_id: workspace_id ?? '', creator_id: creator_id ?? '' })
}

async function makeLink(
  inside: Db,
  link: {
    user_id: string
    source: LinkSource
    workspace_id?: string
    creator_id?: string
    app_url: string
    now: Date
  },
): Promise<string> {
  const { user_id, source, workspace_id = null, creator_id = null, app_url, now } = link
  const { token, hash } = newLinkToken()
  // Links that were sent before stop working.
  await passwordLinkTable.remove(inside, { user_id })
  const hours = source === 'mail' ? PASSWORD_LINK_HOURS : PASSWORD_LINK_OF_ADMIN_HOURS
  const expires_at = new Date(now.getTime() + hours * HOUR_MS).toISOString()
  const created_at = now.toISOString()
  await passwordLinkTable.insert(inside, { hash, user_id, created_at, expires_at, source, workspace_id, creator_id })
  return `${app_url}/reset-password?${source === 'new' ? 'first=true&' : ''}token=${token}`
}

/**
 * Whether an admin may reset the password of a user. The password opens every workspace of the user, so the admin must
 * be able to manage the user in all of them. Checked when a link is created and again when it is used.
 */
async function mayReset(
  inside: Db,
  { user_id, workspace_id, creator_id }: { user_id: string; workspace_id: string; creator_id: string },
): Promise<boolean> {
  const memberships = await loadSharedMemberships(inside, user_id, creator_id)
  const managed = memberships.every(({ role, own_role }) => {
    return own_role !== null && roleMay(own_role, role === 'owner' ? 'manage_owners' : 'manage_members')
  })
  return managed && memberships.some((one) => one.workspace_id === workspace_id)
}

function refuseBeyond(): never {
  const message = 'This account belongs to workspaces that you do not manage. Its user can reset the password by mail.'
  refuse({ kind: 'forbidden', message })
}

function refuseGone(): never {
  const message =
    'This link no longer works: it was used, has expired, or memberships have changed since it was made. ' +
    'Choose "Forgot password" on the sign-in page, or ask an admin of your workspace for a new link.'
  return refuseValue('token', message)
}
