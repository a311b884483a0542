import { RATE_WINDOW_SECONDS } from '@kith/contract/limits'

/** The size of each bucket; 0 means no limit. */
export type RateLimits = { workspace: number; reads: number; writes: number }

export type Spender = { workspace_id: string; token_id: string; kind: 'read' | 'write' }

/** The state of the fullest bucket, or the empty bucket that refused. Undefined when there is no limit. */
export type Spent =
  | {
      limit: number
      remaining: number
      /** Seconds until the bucket is full again. */
      reset: number
      refused?: { bucket: string; retry_after: number }
    }
  | undefined

/** Takes one request from each of the caller's buckets, or nothing if one of them is empty. */
export type RateLimiter = (spender: Spender) => Promise<Spent> | Spent

export type Bucket = { key: string; name: string; limit: number }

/** Takes one from each bucket, or nothing if one of them is empty. Buckets are refilled after `seconds`. */
export type Spend = (buckets: readonly Bucket[], seconds: number) => Promise<Spent> | Spent

/** The buckets of a request. */
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

/** The limits of the API. */
export function limitWith(spend: Spend, limits: RateLimits): RateLimiter {
  if (limits.workspace === 0 && limits.reads === 0 && limits.writes === 0) return () => undefined
  return (spender) => spend(bucketsOf(limits, spender), RATE_WINDOW_SECONDS)
}

/** The limit of the application: per user, over all sessions and workspaces. */
export function sessionLimitWith(spend: Spend, limit: number): (userId: string) => Promise<Spent> | Spent {
  if (limit === 0) return () => undefined
  return (userId) => spend([{ key: `s ${userId}`, name: 'requests per person', limit }], RATE_WINDOW_SECONDS)
}

export function limitInMemory(limits: RateLimits, now: () => number = sinceStart): RateLimiter {
  return limitWith(spendInMemory(now), limits)
}

/** Keeps the windows in memory: enough for SQLite, where one process serves all requests. */
export function spendInMemory(now: () => number = sinceStart): Spend {
  const windows = new Map<string, Window>()

  function windowOf(key: string, at: number, seconds: number): Window {
    const known = windows.get(key)
    // A window without requests was created for a refused request: it has not started.
    if (known && known.ends > at && known.spent > 0) return known
    if (windows.size > SWEEP_AT) for (const [old, { ends }] of windows) if (ends <= at) windows.delete(old)
    const fresh = { ends: at + seconds * 1000, spent: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return (buckets, seconds) => {
    const at = now()
    const states = buckets.map((bucket) => ({ bucket, window: windowOf(bucket.key, at, seconds) }))
    const taken = states.every(({ bucket, window }) => window.spent < bucket.limit)
    if (taken) for (const { window } of states) window.spent++
    const left = states.map(({ bucket, window }) => {
      return { bucket, remaining: bucket.limit - window.spent, ends_in_ms: window.ends - at }
    })
    return spentFrom(left, taken)
  }
}

/** A monotonic clock: setting the system time must not lock callers out. */
function sinceStart(): number {
  return performance.now()
}

type Left = { bucket: Bucket; remaining: number; ends_in_ms: number }

/** What to say about the buckets of a request. */
export function spentFrom(left: readonly Left[], taken: boolean): Spent {
  return taken ? scarcest(left) : refusal(left.filter(({ remaining }) => remaining <= 0))
}

/** Reports the bucket that is refilled last: after that the request can succeed. */
function refusal(empty: readonly Left[]): Spent {
  const [last] = empty.toSorted((one, other) => other.ends_in_ms - one.ends_in_ms)
  if (!last) throw new Error('A request was refused, but no bucket is empty.')
  const reset = secondsOf(last)
  return { limit: last.bucket.limit, remaining: 0, reset, refused: { bucket: last.bucket.name, retry_after: reset } }
}

function scarcest(left: readonly Left[]): Spent {
  let least: Left | undefined
  for (const one of left) if (!least || one.remaining < least.remaining) least = one
  return least && { limit: least.bucket.limit, remaining: least.remaining, reset: secondsOf(least) }
}

/** Whole milliseconds first: the clock counts parts of them, and a difference of 60,000.00000001 is no 61 seconds. */
function secondsOf({ ends_in_ms }: Left): number {
  return Math.max(1, Math.ceil(Math.floor(ends_in_ms) / 1000))
}
