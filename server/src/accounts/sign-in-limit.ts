import { createHash } from 'node:crypto'
import { SIGN_IN_WINDOW_SECONDS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Bucket, Spend } from '../rate-limit.ts'

/** How many attempts there are in a window; 0 switches a limit off. */
export type SignInLimits = { account: number; address: number }

export type Attempt = {
  /** What is tried: each has buckets of its own. */
  to: 'sign-in' | 'set-up' | 'reset' | 'invitation'
  /** The email address as it was sent, where one was. */
  email?: string | undefined
  address: string
}

/** Takes an attempt from the buckets of the account and of the caller's address, whether or not there is such an account. */
export async function spendAttempt(spend: Spend, limits: SignInLimits, attempt: Attempt): Promise<void> {
  const spent = await spend(bucketsOf(limits, attempt), SIGN_IN_WINDOW_SECONDS)
  if (!spent?.refused) return
  const { bucket, retry_after } = spent.refused
  const minutes = Math.ceil(retry_after / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  refuse({ kind: 'rate_limited', message: `Too many attempts ${bucket}. Try again in ${wait}.`, retry_after })
}

function bucketsOf({ account, address }: SignInLimits, attempt: Attempt): Bucket[] {
  const whole = { key: `${attempt.to} from ${attempt.address}`, name: 'from your address', limit: address }
  const own = { key: `${attempt.to} as ${folded(attempt.email ?? '')}`, name: 'for this account', limit: account }
  return [...(attempt.email === undefined ? [] : [own]), whole].filter((bucket) => bucket.limit > 0)
}

/** Of one length, whatever was sent; and no list of email addresses lies about in a table of limits. */
function folded(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
}
