import type { Engine } from '../storage/engines/engine.ts'
import { spendFromBuckets } from '../storage/tables/rate-windows.ts'
import { type Spend, spentFrom } from './rate-limit.ts'

/** Keeps the windows in the database, shared by all nodes. */
export function spendInDatabase(engine: Engine): Spend {
  return async (buckets, seconds) => {
    if (buckets.length === 0) return undefined
    const states = await spendFromBuckets(engine, buckets, seconds * 1000)
    const left = buckets.map((bucket) => {
      const state = states.find(({ key }) => key === bucket.key)
      if (!state) throw new Error('The database says nothing about a bucket.')
      return { bucket, remaining: bucket.limit - state.spent, ends_in_ms: state.ends_in_ms }
    })
    return spentFrom(
      left,
      states.every(({ taken }) => taken),
    )
  }
}
