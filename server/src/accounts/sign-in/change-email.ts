import { EMAIL_LINK_HOURS, HOUR_MS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  emailLinkTable,
  findUser,
  findUserByEmail,
  markVerified,
  passwordLinkTable,
  replaceUserEmail,
  takeEmailLink,
  type UserRow,
} from '../../storage/tables/accounts.ts'
import { parseEmail } from '../parse-account.ts'
import { hashLinkToken, newLinkToken } from '../tokens.ts'
import { lockEmails, noteUserChange, requireUser } from '../users.ts'

/**
 * The mail to a user's new address. The account changes once the link in it is opened. If another account has the
 * address, the mail says so: the response must not reveal who has an account. The caller has checked the password.
 */
export function changeEmailMail(
  runtime: Runtime,
  { user_id, app_url, input }: { user_id: string; app_url: string; input: unknown },
): Promise<Mail> {
  const { email } = readInput(input, (fields) => {
    const sent = fields.text('email')
    fields.optionalText('password')
    return { email: sent === '' ? '' : parseEmail(sent, 'email', fields.report) }
  })
  return runtime.engine.transaction(async (inside) => {
    const user = await findUser(inside, user_id)
    if (!user) throw new Error('The user of the session does not exist.')
    if (user.email === email) refuseValue('email', 'This is your address already.')
    if (await findUserByEmail(inside, email)) return mailOf(email, SUBJECT, taken)
    const url = await makeEmailLink(runtime, inside, { app_url, user_id, new_email: email })
    return mailOf(email, SUBJECT, [
      told`Hello ${user.name},`,
      told`open this link within ${HOURS} hours, signed in to Kith, to use this address for your account:`,
      asIs(url),
      told`If you have no account there, another person entered your address. Ignore this mail: nothing changes.`,
    ])
  })
}

const HOURS = String(EMAIL_LINK_HOURS)

const SUBJECT = told`Confirm your new email address for Kith`

const taken = [
  told`Hello,`,
  told`a user of Kith wants to use this address, but you have an account with it already. Nothing changes.`,
  told`If it was you, sign in to that account, or choose another address.`,
]

/** A user whose address has changed, and the address before. */
type AddressChange = { user: UserRow; before: string }

/**
 * Gives a user the address that a link was sent to. Sessions and tokens stay. Password links stop working, because they
 * were sent to the old mailbox.
 */
async function changeAddress(
  runtime: Runtime,
  inside: Db,
  { user_id, email }: { user_id: string; email: string },
): Promise<AddressChange> {
  const known = await findUser(inside, user_id)
  if (!known) throw new Error('The user of the session does not exist.')
  await lockEmails(runtime, inside, [known.email, email])
  if (await findUserByEmail(inside, email)) {
    return refuseValue('token', 'Another account has this address now. Use another one, or sign in to that account.')
  }
  await replaceUserEmail(inside, { id: user_id, email, at: runtime.now().toISOString() })
  await passwordLinkTable.remove(inside, { user_id })
  const user = { ...known, email, verified: true }
  await noteUserChange(runtime, inside, { user, field: 'email', before: known.email, after: email })
  return { user, before: known.email }
}

/** Sent to the old mailbox, in case another person changed the address. */
export function addressNotice({ user: { name, email }, before }: AddressChange): Mail {
  return mailOf(before, told`The email address of your Kith account has changed`, [
    told`Hello ${name},`,
    told`the email address of your Kith account is now ${asIs(email)}. You sign in with it from now on.`,
    told`If it was not you who changed it, tell an owner of your workspace or the operator of Kith at once.`,
  ])
}

/** The mail with a link that verifies an address; undefined if it is verified already. */
export function confirmationMail(runtime: Runtime, app_url: string, userId: string): Promise<Mail | undefined> {
  return runtime.engine.transaction(async (inside) => {
    const user = await findUser(inside, userId)
    if (!user || user.verified) return undefined
    return mailTo(user, await makeEmailLink(runtime, inside, { app_url, user_id: userId, new_email: null }))
  })
}

/** The address of a new link. Earlier links of the user stop working. */
async function makeEmailLink(
  runtime: Runtime,
  inside: Db,
  { app_url, user_id, new_email }: { app_url: string; user_id: string; new_email: string | null },
): Promise<string> {
  const now = runtime.now()
  const { token, hash } = newLinkToken()
  await emailLinkTable.remove(inside, { user_id })
  const expires_at = new Date(now.getTime() + EMAIL_LINK_HOURS * HOUR_MS).toISOString()
  await emailLinkTable.insert(inside, { hash, user_id, new_email, created_at: now.toISOString(), expires_at })
  return `${app_url}/confirm-email?token=${token}`
}

function mailTo({ email, name }: UserRow, url: string): Mail {
  const hours = String(EMAIL_LINK_HOURS)
  return mailOf(email, told`Confirm your email address for Kith`, [
    told`Hello ${name},`,
    told`confirm that ${asIs(email)} is your address by opening this link within ${hours} hours, signed in to Kith:`,
    asIs(url),
    told`If you have no account there, another person entered your address. Ignore this mail: the account stays unverified.`,
  ])
}

/**
 * Verifies the address of the account with a link from a mail. The user must be signed in: otherwise an attacker could
 * create an account with another person's address, who might confirm it with one careless click. Returns the address
 * that the account had before, if the link changes it.
 */
export function confirmEmail(runtime: Runtime, userId: string, input: unknown): Promise<AddressChange | undefined> {
  const token = readInput(input, (fields) => fields.text('token'))
  return runtime.engine.transaction(async (inside) => {
    const now = runtime.now().toISOString()
    const link = await takeEmailLink(inside, hashLinkToken(token))
    // A refusal rolls back, so the link stays valid for its user.
    if (!link || link.expires_at <= now || link.user_id !== userId) return refuseGone()
    await emailLinkTable.remove(inside, { user_id: userId })
    if (link.new_email !== null) return changeAddress(runtime, inside, { user_id: userId, email: link.new_email })
    await markVerified(inside, userId, now)
    return undefined
  })
}

/** For installations without mail: the operator marks an address as verified. */
export function verifyUser(runtime: Runtime, email: string): Promise<UserRow> {
  return runtime.engine.transaction(async (inside) => {
    const user = await requireUser(inside, email)
    await markVerified(inside, user.id, runtime.now().toISOString())
    await emailLinkTable.remove(inside, { user_id: user.id })
    return { ...user, verified: true }
  })
}

function refuseGone(): never {
  const message =
    'This link is not for the account that you are signed in with, was used already or has expired. ' +
    'Ask for another one in your profile.'
  return refuseValue('token', message)
}
