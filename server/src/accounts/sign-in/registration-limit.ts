import { CLIENT_WINDOW_SECONDS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Spend } from '../../runtime/rate-limit.ts'
import { networkOf } from './network-of.ts'

/** How many clients may register in an hour, from one address and in total; 0 means no limit. */
type RegistrationLimits = { address: number; total: number }

/** Registration needs no account, so the number of clients is limited. */
export async function spendRegistration(spend: Spend, limits: RegistrationLimits, address: string): Promise<void> {
  const buckets = [
    { key: `register from ${networkOf(address)}`, name: 'from your address', limit: limits.address },
    { key: 'register', name: 'at this installation', limit: limits.total },
  ]
  const spent = await spend(buckets, CLIENT_WINDOW_SECONDS)
  if (!spent?.refused) return
  const { bucket, retry_after } = spent.refused
  const minutes = Math.ceil(retry_after / 60)
  const message = `Too many clients have registered ${bucket} within an hour. Try again in ${minutes} minutes.`
  refuse({ kind: 'rate_limited', message, retry_after })
}
