import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type LockedTable, lockRows } from './lock-rows.ts'

/** How many records are purged in one batch, so that no writer waits long. */
const BATCH = 500

type Doomed = { workspace_id: string; id: string }

/** A record can be purged a while after it was deleted. Of a merge only what its undo needs is purged. */
function isOld(table: LockedTable, before: string): Sql<unknown> {
  return table === 'merges'
    ? sql`created_at <= ${before} and changes <> ''`
    : sql`deleted_at is not null and deleted_at <= ${before}`
}

/** Some of the records of a resource, or of the merges, in all workspaces, that can be purged. */
export function findDoomed(db: Db, table: LockedTable, before: string): Promise<Doomed[]> {
  return sql<Doomed>`select workspace_id, id from ${sql.table(table)} where ${isOld(table, before)}
    order by workspace_id, id limit ${sql.lit(BATCH)}`.all(db)
}

/** The rows that are purged with a record or a merge: their table, and the column with its id. */
const partsOfRecord = [
  ['links', 'from_id'],
  ['links', 'to_id'],
  ['field_values', 'record_id'],
  ['external_ids', 'record_id'],
] as const
const partsOfMerge = [['merge_moves', 'merge_id']] as const

/** The ids of a workspace to purge, if they are from before a time. */
type Purging = { workspaceId: string; ids: readonly string[]; before: string }

/**
 * Purges records or merges with everything that belongs to them. A record that was restored meanwhile stays, and a
 * merge that is being undone is waited for. The row itself comes last, so that an interrupted purge is found again.
 */
export function purge(engine: Engine, table: LockedTable, { workspaceId, ids, before }: Purging): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table, ids, mode: 'alone' }])
    const found = await sql<string>`select id from ${sql.table(table)}
      where ${ours} and id in (${sql.join(ids)}) and ${isOld(table, before)}`.column(db)
    if (found.length === 0) return
    const all = sql.join(found)
    for (const [part, column] of table === 'merges' ? partsOfMerge : partsOfRecord) {
      await sql`delete from ${sql.table(part)} where ${ours} and ${sql.ref(column)} in (${all})`.run(db)
    }
    if (table !== 'merges') await engine.search.removeAll(db, { workspaceId, table }, found)
    const which = sql`where ${ours} and id in (${all}) and ${isOld(table, before)}`
    // Who was merged into whom is kept as long as the workspace exists: old ids lead to the winner.
    if (table === 'merges') await sql`update merges set changes = '' ${which}`.run(db)
    else await sql`delete from ${sql.table(table)} ${which}`.run(db)
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
