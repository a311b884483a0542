import type { Engine } from '../storage/engines/engine.ts'
import { spendFromBuckets } from '../storage/tables/rate-windows.ts'
import { refusal, type Spend, scarcest } from './rate-limit.ts'

/** Keeps the windows in the database, shared by all nodes. */
export function spendInDatabase(engine: Engine): Spend {
  return async (buckets, seconds) => {
    if (buckets.length === 0) return undefined
    const states = await spendFromBuckets(engine, buckets, seconds * 1000)
    const left = buckets.map((bucket) => {
      const { spent = 0, wait_ms = 0 } = states.find((state) => state.key === bucket.key) ?? {}
      return { bucket, limit: bucket.limit, remaining: bucket.limit - spent, wait_ms }
    })
    const empty = left.filter(({ wait_ms }) => wait_ms > 0)
    return empty.length > 0 ? refusal(empty) : scarcest(left)
  }
}
