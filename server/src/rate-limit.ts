import { RATE_WINDOW_SECONDS } from '@kith/contract/limits'

/** How many requests a bucket holds; 0 switches it off. */
export type RateLimits = { workspace: number; reads: number; writes: number }

export type Spender = { workspace_id: string; token_id: string; kind: 'read' | 'write' }

/** What is left of the bucket with the least left, or which bucket was found empty. Undefined when all are off. */
export type Spent = { limit: number; remaining: number; refused?: { bucket: string; retry_after: number } } | undefined

/** Takes one request from a caller's buckets, or nothing at all when one of them is empty. */
export type RateLimiter = (spender: Spender) => Promise<Spent> | Spent

export type Bucket = { key: string; name: string; limit: number }

/** The buckets from which a request is taken. */
export function bucketsOf(limits: RateLimits, { workspace_id, token_id, kind }: Spender): Bucket[] {
  const own =
    kind === 'read'
      ? { key: `r ${token_id}`, name: 'reads per token', limit: limits.reads }
      : { key: `w ${token_id}`, name: 'writes per token', limit: limits.writes }
  const whole = { key: `a ${workspace_id}`, name: 'requests per workspace', limit: limits.workspace }
  return [own, whole].filter((bucket) => bucket.limit > 0)
}

type Window = { ends: number; spent: number }

const SWEEP_AT = 10_000

/** Windows in the memory of this process: enough where one process is the whole installation, as on SQLite. */
export function limitInMemory(limits: RateLimits, now: () => number = Date.now): RateLimiter {
  const windows = new Map<string, Window>()

  function windowOf(key: string, at: number): Window {
    const known = windows.get(key)
    if (known && known.ends > at) return known
    if (windows.size > SWEEP_AT) for (const [old, { ends }] of windows) if (ends <= at) windows.delete(old)
    const fresh = { ends: at + RATE_WINDOW_SECONDS * 1000, spent: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return (spender) => {
    const at = now()
    const states = bucketsOf(limits, spender).map((bucket) => ({ bucket, window: windowOf(bucket.key, at) }))
    const empty = states.find(({ bucket, window }) => window.spent >= bucket.limit)
    if (empty) return refusal(empty.bucket, empty.window.ends - at)
    for (const { window } of states) window.spent++
    return scarcest(
      states.map(({ bucket, window }) => ({ limit: bucket.limit, remaining: bucket.limit - window.spent })),
    )
  }
}

export function refusal({ name, limit }: Bucket, waitMs: number): Spent {
  return { limit, remaining: 0, refused: { bucket: name, retry_after: Math.max(1, Math.ceil(waitMs / 1000)) } }
}

export function scarcest(left: readonly { limit: number; remaining: number }[]): Spent {
  let least: Spent
  for (const one of left) if (!least || one.remaining < least.remaining) least = one
  return least
}
