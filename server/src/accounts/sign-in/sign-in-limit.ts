import { createHash } from 'node:crypto'
import { SIGN_IN_SLOW_FACTOR, SIGN_IN_SLOW_SECONDS, SIGN_IN_WINDOW_SECONDS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Bucket, Spend } from '../../runtime/rate-limit.ts'
import { networkOf } from './network-of.ts'

/** How many attempts are allowed in a window; 0 means no limit. */
type SignInLimits = { account: number; address: number }

export type Attempt = {
  /** The kind of attempt: each has its own buckets. */
  to: 'sign-in' | 'set-up' | 'reset' | 'invitation' | 'confirm' | 'second-factor' | 'passkey' | 'provider'
  /** The email address that was sent, if any. */
  email?: string | undefined
  address: string
  /** The browser, if it has signed in to this account before. */
  device?: string | undefined
}

/**
 * Counts an attempt, even if there is no such account, and refuses it when there were too many. Attackers must not lock
 * out the owner: sign-ins are counted per account and address, and a known browser has its own limit and is never
 * slowed down.
 */
export async function spendAttempt(spend: Spend, limits: SignInLimits, attempt: Attempt): Promise<void> {
  const wait = await overspent(spend, limits, attempt)
  if (!wait) return
  const { bucket, retry_after } = wait
  const message = `Too many attempts ${bucket}. Try again in ${inWords(retry_after)}.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

type Refused = { bucket: string; retry_after: number } | undefined

async function overspent(spend: Spend, limits: SignInLimits, attempt: Attempt): Promise<Refused> {
  const spent = await spend(bucketsOf(limits, attempt), SIGN_IN_WINDOW_SECONDS)
  if (spent?.refused || attempt.to !== 'sign-in' || attempt.device !== undefined) return spent?.refused
  return slowedDown(spend, limits, attempt)
}

function bucketsOf({ account, address }: SignInLimits, attempt: Attempt): Bucket[] {
  const { to, email, device } = attempt
  if (device !== undefined) return [{ key: `${to} on ${device}`, name: 'from this browser', limit: account }]
  const network = networkOf(attempt.address)
  const whole = { key: `${to} from ${network}`, name: 'from your address', limit: address }
  if (email === undefined) return [whole]
  const named = `${to} as ${folded(email)}`
  // These send mail to the same person, so the address of the caller does not matter.
  const own =
    to === 'sign-in'
      ? { key: `${named} from ${network}`, name: 'for this account from your address', limit: account }
      : { key: named, name: 'for this account', limit: account }
  return [own, whole]
}

/** Limits attempts from many addresses: above a number per window, one is allowed every few seconds. */
async function slowedDown(spend: Spend, limits: SignInLimits, { email = '' }: Attempt): Promise<Refused> {
  const name = 'for this account'
  const key = `sign-in as ${folded(email)}`
  const all = [{ key, name, limit: limits.account * SIGN_IN_SLOW_FACTOR }]
  if (!(await spend(all, SIGN_IN_WINDOW_SECONDS))?.refused) return undefined
  const slow = [{ key: `${key} slowly`, name, limit: 1 }]
  return (await spend(slow, SIGN_IN_SLOW_SECONDS))?.refused
}

function inWords(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** Hashed, so that the table of limits has keys of one length and no email addresses. */
export function folded(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
}
