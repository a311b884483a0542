import { RATE_WINDOW_SECONDS } from '@kith/contract/limits'
import type { Engine } from './db/engine.ts'
import { spendFromBuckets } from './db/rate-windows.ts'
import { bucketsOf, type RateLimiter, type RateLimits, refusal, scarcest } from './rate-limit.ts'

/** Windows in the database, so that they hold across all nodes. */
export function limitInDatabase(limits: RateLimits, engine: Engine): RateLimiter {
  return async (spender) => {
    const buckets = bucketsOf(limits, spender)
    if (buckets.length === 0) return undefined
    const states = await spendFromBuckets(engine, buckets, RATE_WINDOW_SECONDS * 1000)
    const left = buckets.map((bucket) => ({ bucket, state: states.find((state) => state.key === bucket.key) }))
    const empty = left.find(({ state }) => state && !state.taken && state.wait_ms > 0)
    if (empty?.state) return refusal(empty.bucket, empty.state.wait_ms)
    return scarcest(
      left.map(({ bucket, state }) => ({ limit: bucket.limit, remaining: bucket.limit - (state?.spent ?? 0) })),
    )
  }
}
