import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql, syntaxOf } from '../engines/sql.ts'

/** A response that stays open. `key` names its kind and the workspace, `holder` the token. */
export type Place = { id: string; key: string; holder: string }

export type PlaceLimits = { per_token: number; per_workspace: number }

/**
 * Takes a place unless the holder or the workspace has no more, in all nodes of an installation. It is free again after
 * a time by the clock of the database, unless it is kept.
 */
export function takePlace(
  { short }: Engine,
  { id, key, holder }: Place,
  { per_token, per_workspace, ms }: PlaceLimits & { ms: number },
): Promise<'token' | 'workspace' | null | undefined> {
  return sql<'token' | 'workspace' | null>`select take_place(${id}, ${key}, ${holder}, ${per_token}::int,
    ${per_workspace}::int, ${ms}::int)`.value(short)
}

export async function freePlace({ short }: Engine, id: string): Promise<void> {
  await sql`delete from places where id = ${id}`.run(short)
}

/** Keeps places. One that the database has lost, with a crash or a failover, is there again. */
export async function keepPlaces({ short }: Engine, places: readonly Place[], ms: number): Promise<void> {
  const column = (name: keyof Place) => places.map((place) => place[name])
  await sql`insert into places (id, key, holder, until)
    select p.id, p.key, p.holder, clock_timestamp() + ${ms}::int * interval '1 millisecond'
    from unnest(${column('id')}::text[], ${column('key')}::text[], ${column('holder')}::text[]) p (id, key, holder)
    order by p.id on conflict (id) do update set until = excluded.until`.run(short)
}

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

/** The clock of the database, in milliseconds. */
export async function loadDatabaseTime(db: Db): Promise<number> {
  const at = await sql<string | Date>`select current_timestamp`.value(db)
  return new Date(at ?? Number.NaN).getTime()
}

/** The time by the clock of the database in so many milliseconds. Leases go by it: the clocks of nodes differ. */
export function timeIn({ single }: Engine, ms: number): Sql<unknown> {
  return sql.raw(syntaxOf(single.session).timeIn(ms))
}
