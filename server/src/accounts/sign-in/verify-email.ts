import { EMAIL_LINK_HOURS, HOUR_MS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import type { Mail } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  deleteEmailLinks,
  findUser,
  insertEmailLink,
  markVerified,
  takeEmailLink,
  type UserRow,
} from '../../storage/tables/accounts.ts'
import { mailOf } from '../mail-of.ts'
import { hashLinkToken, newLinkToken } from '../token-format.ts'
import { requireUser } from '../users.ts'
import { changeAddress, type Readdressed } from './change-address.ts'

/** The mail with a link that verifies an address; undefined if it is verified already. */
export function confirmationMail(runtime: Runtime, app_url: string, userId: string): Promise<Mail | undefined> {
  return runtime.engine.transaction(async (inside) => {
    const user = await findUser(inside, userId)
    if (!user || user.verified) return undefined
    return mailTo(user, await makeEmailLink(runtime, inside, { app_url, user_id: userId, new_email: null }))
  })
}

type WantedLink = { app_url: string; user_id: string; new_email: string | null }

/** The address of a new link. Earlier links of the user stop working. */
export async function makeEmailLink(
  runtime: Runtime,
  inside: Db,
  { app_url, user_id, new_email }: WantedLink,
): Promise<string> {
  const now = runtime.now()
  const { token, hash } = newLinkToken()
  await deleteEmailLinks(inside, user_id)
  const expires_at = new Date(now.getTime() + EMAIL_LINK_HOURS * HOUR_MS).toISOString()
  await insertEmailLink(inside, { hash, user_id, new_email, created_at: now.toISOString(), expires_at })
  return `${app_url}/confirm-email?token=${token}`
}

function mailTo({ email, name }: UserRow, url: string): Mail {
  return mailOf(email, 'Confirm your email address for Kith', [
    `Hello ${name},`,
    `confirm that ${email} is your address by opening this link within ${EMAIL_LINK_HOURS} hours, signed in to Kith:`,
    url,
    'If you have no account there, another person entered your address. Ignore this mail: the account ' +
      'stays unverified.',
  ])
}

/**
 * Verifies the address of the account with a link from a mail. The user must be signed in: otherwise an attacker could
 * create an account with another person's address, who might confirm it with one careless click. Returns the address
 * that the account had before, if the link changes it.
 */
export function confirmEmail(runtime: Runtime, userId: string, input: unknown): Promise<Readdressed | undefined> {
  const token = readInput(input, (fields) => fields.text('token'))
  return runtime.engine.transaction(async (inside) => {
    const now = runtime.now().toISOString()
    const link = await takeEmailLink(inside, hashLinkToken(token))
    // A refusal rolls back, so the link stays valid for its user.
    if (!link || link.expires_at <= now || link.user_id !== userId) return refuseGone()
    await deleteEmailLinks(inside, userId)
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
    await deleteEmailLinks(inside, user.id)
    return { ...user, verified: true }
  })
}

function refuseGone(): never {
  const message =
    'This link is not for the account that you are signed in with, was used already or has expired. ' +
    'Ask for another one in your profile.'
  return refuseValue('token', message)
}
