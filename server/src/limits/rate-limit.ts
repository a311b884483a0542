import { RATE_WINDOW_SECONDS } from '@kith/contract/limits'
import type { Engine } from '../storage/engines/engine.ts'
import { spendFromBuckets } from '../storage/tables/places.ts'

/** The size of each bucket; 0 means no limit. */
export type RateLimits = { workspace: number; reads: number; writes: number; items: number }

export type Spender = {
  workspace_id: string
  token_id: string
  kind: 'read' | 'write'
  /** How many requests it costs; one by default. A negative number refunds requests. */
  requests?: number
  /** How many items it costs; none by default. */
  items?: number
}

/** The state of the bucket with the least left, or the empty bucket that refused. Undefined if there is no limit. */
export type BucketState =
  | {
      limit: number
      remaining: number
      /** Seconds until the bucket is full again. */
      reset: number
      refused?: {
        bucket: string
        retry_after: number
        /** Whether the request would have been accepted without its items. */
        only_items?: true
      }
    }
  | undefined

/** Takes one request from each of the caller's buckets, or nothing if one of them is empty. */
export type RateLimiter = (spender: Spender) => Promise<BucketState> | BucketState

/** `cost` is one by default. */
export type Bucket = { key: string; name: string; limit: number; cost?: number }

/**
 * Takes the cost from each bucket, or nothing if one of them has less. Buckets are refilled after `seconds`. Buckets
 * without a limit or a cost do not count.
 */
export type Spend = (buckets: readonly Bucket[], seconds: number) => Promise<BucketState> | BucketState

function bucketsOf(limits: RateLimits, spender: Spender): Bucket[] {
  const { workspace_id, token_id, kind, requests: cost = 1, items = 0 } = spender
  const own =
    kind === 'read'
      ? { key: `r ${token_id}`, name: 'reads per token', limit: limits.reads, cost }
      : { key: `w ${token_id}`, name: 'writes per token', limit: limits.writes, cost }
  const whole = { key: `a ${workspace_id}`, name: 'requests per workspace', limit: limits.workspace, cost }
  const written = { key: ITEMS + workspace_id, name: 'items per workspace', limit: limits.items, cost: items }
  return [own, whole, written]
}

/** The prefix of the key of the item bucket. */
const ITEMS = 'i '

type Window = { ends: number; spent: number }

const EXPIRE_AT = 10_000

/** The limits of the API. */
export function limitWith(spend: Spend, limits: RateLimits): RateLimiter {
  return (spender) => spend(bucketsOf(limits, spender), RATE_WINDOW_SECONDS)
}

/** The limit of the application: per user, over all sessions and workspaces. */
export function sessionLimitWith(spend: Spend, limit: number): (userId: string) => Promise<BucketState> | BucketState {
  return (userId) => spend([{ key: `s ${userId}`, name: 'requests per person', limit }], RATE_WINDOW_SECONDS)
}

/**
 * Keeps the windows in memory: enough for SQLite, where one process serves all requests. The clock is monotonic:
 * setting the system time must not lock callers out.
 */
export function spendInMemory(now: () => number = () => performance.now()): Spend {
  const windows = new Map<string, Window>()

  function windowOf(key: string, at: number, seconds: number): Window {
    const known = windows.get(key)
    // A window without requests was created for a refused request: it has not started.
    if (known && known.ends > at && known.spent > 0) return known
    if (windows.size > EXPIRE_AT) for (const [old, { ends }] of windows) if (ends <= at) windows.delete(old)
    const fresh = { ends: at + seconds * 1000, spent: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return (buckets, seconds) => {
    const at = now()
    const states = buckets.filter(counts).map((bucket) => ({ bucket, window: windowOf(bucket.key, at, seconds) }))
    const taken = states.every(({ bucket, window }) => window.spent + costOf(bucket) <= bucket.limit)
    if (taken) for (const { bucket, window } of states) window.spent = Math.max(0, window.spent + costOf(bucket))
    const left = states.map(({ bucket, window }) => {
      return { bucket, remaining: bucket.limit - window.spent, ends_in_ms: window.ends - at }
    })
    return spentFrom(left, taken)
  }
}

function costOf({ cost = 1 }: Bucket): number {
  return cost
}

function counts(bucket: Bucket): boolean {
  return bucket.limit > 0 && costOf(bucket) !== 0
}

type Remainder = { bucket: Bucket; remaining: number; ends_in_ms: number }

/** The state to report about the buckets of a request. */
function spentFrom(left: readonly Remainder[], taken: boolean): BucketState {
  return taken ? scarcest(left) : refusal(left.filter(({ bucket, remaining }) => remaining < costOf(bucket)))
}

/**
 * Reports the bucket that is refilled last, because the request can succeed after that. It may be not empty, but too
 * low.
 */
function refusal(empty: readonly Remainder[]): BucketState {
  const [last] = empty.toSorted((one, other) => other.ends_in_ms - one.ends_in_ms)
  if (!last) throw new Error('A request was refused, but no bucket is empty.')
  const reset = secondsOf(last)
  const only_items = empty.every(({ bucket }) => bucket.key.startsWith(ITEMS))
  const refused = { bucket: last.bucket.name, retry_after: reset, ...(only_items ? { only_items: true as const } : {}) }
  return { limit: last.bucket.limit, remaining: Math.max(0, last.remaining), reset, refused }
}

function scarcest(left: readonly Remainder[]): BucketState {
  let least: Remainder | undefined
  for (const one of left) if (!least || one.remaining < least.remaining) least = one
  return least && { limit: least.bucket.limit, remaining: least.remaining, reset: secondsOf(least) }
}

/** Rounded to whole milliseconds first: the clock has fractions, and 60,000.00000001 ms must not become 61 seconds. */
function secondsOf({ ends_in_ms }: Remainder): number {
  return Math.max(1, Math.ceil(Math.floor(ends_in_ms) / 1000))
}

/** Keeps the windows in the database, shared by all nodes. */
export function spendInDatabase(engine: Engine): Spend {
  return async (all, seconds) => {
    const buckets = all.filter(counts)
    if (buckets.length === 0) return undefined
    const states = await spendFromBuckets(engine, buckets, seconds * 1000)
    const left = buckets.map((bucket) => {
      const state = states.find(({ key }) => key === bucket.key)
      if (!state) throw new Error('The database returned no row for a bucket.')
      return { bucket, remaining: bucket.limit - state.spent, ends_in_ms: state.ends_in_ms }
    })
    return spentFrom(
      left,
      states.every(({ taken }) => taken),
    )
  }
}
