import { isIP } from 'node:net'
import {
  CLIENT_WINDOW_SECONDS,
  SIGN_IN_SLOW_FACTOR,
  SIGN_IN_SLOW_SECONDS,
  SIGN_IN_WINDOW_SECONDS,
} from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Bucket, Spend } from '../../limits/rate-limit.ts'
import { folded } from '../../outbound/mail.ts'

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
 * Counts an attempt, even if the account does not exist, and refuses it above the limit. Attackers must not lock out
 * the owner: sign-ins are counted per account and address, and a known browser has its own limit and is never slowed
 * down.
 */
export async function spendAttempt(spend: Spend, limits: SignInLimits, attempt: Attempt): Promise<void> {
  const wait = await overspent(spend, limits, attempt)
  if (!wait) return
  const { bucket, retry_after } = wait
  const message = `Too many attempts ${bucket}. Try again in ${inWords(retry_after)}.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

type LimitRefusal = { bucket: string; retry_after: number } | undefined

async function overspent(spend: Spend, limits: SignInLimits, attempt: Attempt): Promise<LimitRefusal> {
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
  // These attempts send mail to the same person, so the address of the caller does not matter.
  const own =
    to === 'sign-in'
      ? { key: `${named} from ${network}`, name: 'for this account from your address', limit: account }
      : { key: named, name: 'for this account', limit: account }
  return [own, whole]
}

/** Limits attempts from many addresses: above a number per window, one is allowed every few seconds. */
async function slowedDown(spend: Spend, limits: SignInLimits, { email = '' }: Attempt): Promise<LimitRefusal> {
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

/** The part of the total that is reserved for callers with a session, so that anonymous callers cannot use it up. */
const KEPT = 1 / 4

/** Registration needs no account, so the number of clients is limited. `user_id` is the user of the session, if any. */
export async function spendRegistration(
  spend: Spend,
  { address: per_address, total }: { address: number; total: number },
  { address, user_id }: { address: string; user_id?: string | undefined },
): Promise<void> {
  const kept = Math.ceil(total * KEPT)
  const own = [
    { key: `register by ${user_id}`, name: 'by you', limit: per_address },
    { key: 'register by users', name: 'at this installation', limit: kept },
  ]
  if (user_id !== undefined && !(await spend(own, CLIENT_WINDOW_SECONDS))?.refused) return
  const buckets = [
    { key: `register from ${networkOf(address)}`, name: 'from your address', limit: per_address },
    // At least one, because a limit of 0 means no limit.
    { key: 'register', name: 'at this installation', limit: total === 0 ? 0 : Math.max(1, total - kept) },
  ]
  const spent = await spend(buckets, CLIENT_WINDOW_SECONDS)
  if (!spent?.refused) return
  const { bucket, retry_after } = spent.refused
  const minutes = Math.ceil(retry_after / 60)
  const message = `Too many clients have registered ${bucket} within an hour. Try again in ${minutes} minutes.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

/** The key of an address for limits: an IPv6 /64 network usually belongs to one customer. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const before = groupsIn(head)
  const after = tail === undefined ? [] : groupsIn(tail)
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}

function groupsIn(text: string): string[] {
  return text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, ''))
}
