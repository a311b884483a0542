import { EMAIL_LINK_HOURS, HOUR_MS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import type { Mail } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import { findUser, markVerified, type UserRow } from '../../storage/tables/accounts.ts'
import { deleteEmailLinks, insertEmailLink, takeEmailLink } from '../../storage/tables/email-links.ts'
import { hashLinkToken, newLinkToken } from '../token-format.ts'
import { requireUser } from '../users.ts'

/** The mail with a link that verifies an address; undefined if it is verified already. */
export function confirmationMail(runtime: Runtime, app_url: string, userId: string): Promise<Mail | undefined> {
  return runtime.engine.transaction(async (inside) => {
    const user = await findUser(inside, userId)
    if (!user || user.verified) return undefined
    const url = `${app_url}/confirm-email?token=${await makeLink(inside, userId, runtime.now())}`
    return mailTo(user, url)
  })
}

async function makeLink(inside: Db, user_id: string, now: Date): Promise<string> {
  const { token, hash } = newLinkToken()
  await deleteEmailLinks(inside, user_id)
  const expires_at = new Date(now.getTime() + EMAIL_LINK_HOURS * HOUR_MS).toISOString()
  await insertEmailLink(inside, { hash, user_id, created_at: now.toISOString(), expires_at })
  return token
}

function mailTo({ email, name }: UserRow, url: string): Mail {
  const text = [
    `Hello ${name},`,
    '',
    `confirm that ${email} is your address by opening this link within ${EMAIL_LINK_HOURS} hours, signed in to Kith:`,
    '',
    url,
    '',
    'If you have no account there, another person entered your address. Ignore this mail: the account ' +
      'stays unverified.',
  ]
  return { to: email, subject: 'Confirm your email address for Kith', text: text.join('\n') }
}

/**
 * Verifies the address of the account with a link from a mail. The user must be signed in: otherwise an attacker could
 * create an account with another person's address, who might confirm it with one careless click.
 */
export function confirmEmail(runtime: Runtime, userId: string, input: unknown): Promise<void> {
  const token = readInput(input, (fields) => fields.text('token'))
  return runtime.engine.transaction(async (inside) => {
    const now = runtime.now().toISOString()
    const link = await takeEmailLink(inside, hashLinkToken(token))
    // A refusal rolls back, so the link stays valid for its user.
    if (!link || link.expires_at <= now || link.user_id !== userId) return refuseGone()
    await markVerified(inside, userId, now)
    await deleteEmailLinks(inside, userId)
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
