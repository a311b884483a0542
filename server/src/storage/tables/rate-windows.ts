import type { Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

type BucketState = { key: string; spent: number; ends_in_ms: number; taken: boolean }

/**
 * Takes the costs from the buckets when all of them have room, else nothing, in one statement and for all nodes of an
 * installation: the windows are in an unlogged table, and the clock is the database's.
 */
export function spendFromBuckets(
  engine: Engine,
  buckets: readonly { key: string; limit: number; cost?: number }[],
  windowMs: number,
): Promise<BucketState[]> {
  const keys = buckets.map((bucket) => bucket.key)
  const limits = buckets.map((bucket) => bucket.limit)
  const costs = buckets.map(({ cost = 1 }) => cost)
  return sql<BucketState>`select key, spent, ends_in_ms, taken
    from spend_buckets(${keys}::text[], ${limits}::int[], ${costs}::int[], ${windowMs}::int)`.all(engine.short)
}
