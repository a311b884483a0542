import type { ResourceName } from '@kith/contract/resource'
import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { lockRows } from './lock-rows.ts'

/** How many records are purged in one batch, so that no writer waits long. */
const BATCH = 500

export type Doomed = { workspace_id: string; id: string }

/** Some of the records of a resource, in all workspaces, that were deleted before a time. */
export function findDoomed(db: Db, resource: ResourceName, before: string): Promise<Doomed[]> {
  return sql<Doomed>`select workspace_id, id from ${sql.table(resource)}
    where deleted_at is not null and deleted_at <= ${before}
    order by workspace_id, id limit ${sql.lit(BATCH)}`.all(db)
}

/** The records or merges of a workspace to purge: those of the ids that are from before a time. */
type Purging = { workspaceId: string; ids: readonly string[]; before: string }

/**
 * Purges records with everything that belongs to them. One that was restored meanwhile stays. The record itself comes
 * last, so that an interrupted purge is found again.
 */
export function purgeRecords(engine: Engine, resource: ResourceName, purging: Purging): Promise<void> {
  const { workspaceId, ids, before } = purging
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table: resource, ids, mode: 'alone' }])
    const found = await sql<string>`select id from ${sql.table(resource)} where ${ours} and id in (${sql.join(ids)})
      and deleted_at is not null and deleted_at <= ${before}`.column(db)
    if (found.length === 0) return
    const all = sql.join(found)
    await sql`delete from links where ${ours} and from_id in (${all})`.run(db)
    await sql`delete from links where ${ours} and to_id in (${all})`.run(db)
    await sql`delete from field_values where ${ours} and record_id in (${all})`.run(db)
    await engine.search.removeAll(db, { workspaceId, table: resource }, found)
    await sql`delete from ${sql.table(resource)}
      where ${ours} and id in (${all}) and deleted_at is not null and deleted_at <= ${before}`.run(db)
  })
}

/**
 * One transaction where writes are concurrent. Otherwise each statement alone: this may run in a thread that cannot
 * begin a transaction, and a restore uses the same clock and refuses what is being purged.
 */
async function purgingIn(engine: Engine, workspaceId: string, work: (db: Db) => Promise<void>): Promise<void> {
  if (!engine.concurrentWrites) return work(engine.single)
  await engine.transaction(async (inside) => {
    await engine.holdFields(inside, workspaceId)
    await work(inside)
  })
}

/** Some of the merges, in all workspaces, from before a time. */
export function findOldMerges(db: Db, before: string): Promise<Doomed[]> {
  return sql<Doomed>`select workspace_id, id from merges where created_at <= ${before}
    order by workspace_id, id limit ${sql.lit(BATCH)}`.all(db)
}

/** Deletes merges, which can no longer be undone. Waits for one that is being undone. */
export function purgeMerges(engine: Engine, { workspaceId, ids, before }: Purging): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table: 'merges', ids, mode: 'alone' }])
    const found = await sql<string>`select id from merges where ${ours} and id in (${sql.join(ids)})
      and created_at <= ${before}`.column(db)
    if (found.length === 0) return
    const all = sql.join(found)
    await sql`delete from merge_moves where ${ours} and merge_id in (${all})`.run(db)
    await sql`delete from merge_losers where ${ours} and merge_id in (${all})`.run(db)
    await sql`delete from merges where ${ours} and id in (${all})`.run(db)
  })
}
