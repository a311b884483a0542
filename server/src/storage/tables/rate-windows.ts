import type { Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

type BucketState = { key: string; spent: number; ends_in_ms: number; taken: boolean }

/**
 * Takes one from each bucket when all of them have room, else from none, in one statement and for all nodes of an
 * installation: the windows are in an unlogged table, and the clock is the database's.
 */
export function spendFromBuckets(
  engine: Engine,
  buckets: readonly { key: string; limit: number }[],
  windowMs: number,
): Promise<BucketState[]> {
  const keys = buckets.map((bucket) => bucket.key)
  const limits = buckets.map((bucket) => bucket.limit)
  return sql<BucketState>`select key, spent, ends_in_ms, taken
    from spend_buckets(${keys}::text[], ${limits}::int[], ${windowMs}::int)`.all(engine.short)
}
