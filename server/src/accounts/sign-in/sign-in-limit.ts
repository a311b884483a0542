import { createHash } from 'node:crypto'
import { SIGN_IN_SLOW_FACTOR, SIGN_IN_SLOW_SECONDS, SIGN_IN_WINDOW_SECONDS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Bucket, Spend } from '../../runtime/rate-limit.ts'
import { networkOf } from './network-of.ts'

/** How many attempts there are in a window; 0 switches a limit off. */
export type SignInLimits = { account: number; address: number }

export type Attempt = {
  /** What is tried: each has buckets of its own. */
  to: 'sign-in' | 'set-up' | 'reset' | 'invitation' | 'confirm' | 'second-factor' | 'passkey' | 'provider'
  /** The email address as it was sent, where one was. */
  email?: string | undefined
  address: string
  /** The browser, if it has signed in to this account before. */
  device?: string | undefined
}

/**
 * Counts an attempt, whether or not there is such an account, and refuses it when there were too many. What strangers do must not
 * lock out the owner of an account: sign-ins are counted by account and address together, and a browser that is known has a budget
 * of its own and is never slowed down.
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
  if (device !== undefined) return switchedOn({ key: `${to} on ${device}`, name: 'from this browser', limit: account })
  const network = networkOf(attempt.address)
  const whole = { key: `${to} from ${network}`, name: 'from your address', limit: address }
  if (email === undefined) return switchedOn(whole)
  const named = `${to} as ${folded(email)}`
  // Mail goes to the same person from wherever it is asked for.
  const own =
    to === 'sign-in'
      ? { key: `${named} from ${network}`, name: 'for this account from your address', limit: account }
      : { key: named, name: 'for this account', limit: account }
  return switchedOn(own, whole)
}

/** Attempts from many addresses together: beyond so many in a window, one is let through every few seconds. */
async function slowedDown(spend: Spend, limits: SignInLimits, { email = '' }: Attempt): Promise<Refused> {
  const name = 'for this account'
  const key = `sign-in as ${folded(email)}`
  const all = switchedOn({ key, name, limit: limits.account * SIGN_IN_SLOW_FACTOR })
  if (!(await spend(all, SIGN_IN_WINDOW_SECONDS))?.refused) return undefined
  const slow = [{ key: `${key} slowly`, name, limit: 1 }]
  return (await spend(slow, SIGN_IN_SLOW_SECONDS))?.refused
}

function switchedOn(...buckets: Bucket[]): Bucket[] {
  return buckets.filter((bucket) => bucket.limit > 0)
}

function inWords(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** Of one length, whatever was sent; and the table of limits holds no email addresses. */
export function folded(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
}
