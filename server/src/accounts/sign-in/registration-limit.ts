import { isIPv6 } from 'node:net'
import { CLIENT_WINDOW_SECONDS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Spend } from '../../runtime/rate-limit.ts'

/** How many clients may register in an hour: from one address, and in all; 0 switches a limit off. */
export type RegistrationLimits = { address: number; total: number }

/** Anybody may register a client, so that what anybody can have stored is limited. */
export async function spendRegistration(spend: Spend, limits: RegistrationLimits, address: string): Promise<void> {
  const buckets = [
    { key: `register from ${networkOf(address)}`, name: 'from your address', limit: limits.address },
    { key: 'register', name: 'at this installation', limit: limits.total },
  ].filter((bucket) => bucket.limit > 0)
  const spent = await spend(buckets, CLIENT_WINDOW_SECONDS)
  if (!spent?.refused) return
  const { bucket, retry_after } = spent.refused
  const message = `Too many clients have registered ${bucket} within an hour. Try again in ${Math.ceil(retry_after / 60)} minutes.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

const PREFIX_GROUPS = 4

/** Whoever has one IPv6 address has a network of them, which counts as one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0')
  return [...left, ...gap, ...right].slice(0, PREFIX_GROUPS).join(':')
}
