import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import { lockRows } from './lock-rows.ts'

/** So many records are deleted together, so that no writer waits long. */
const TOGETHER = 500

export type Doomed = { workspace_id: string; id: string }

const doomed = new Map(
  resourceNames.map((table) => [
    table,
    fixed<Doomed>(
      `select workspace_id, id from ${table} where deleted_at is not null and deleted_at <= ?
       order by workspace_id, id limit ${TOGETHER}`,
    ),
  ]),
)

/** Some of the records of a resource, in all workspaces, that were deleted before a moment. */
export async function findDoomed(db: Db, resource: ResourceName, before: string): Promise<Doomed[]> {
  return (await doomed.get(resource)?.(db, [before])) ?? []
}

/** Which records or merges of a workspace are deleted for good: those of the ids that are not from after a moment. */
export type Purging = { workspaceId: string; ids: readonly string[]; before: string }

/**
 * Deletes records for good, with everything that belongs to them. One that was restored meanwhile stays. The record itself
 * comes last, so that what was broken off half way is found again.
 */
export function purgeRecords(engine: Engine, resource: ResourceName, purging: Purging): Promise<void> {
  const { workspaceId, ids, before } = purging
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table: resource, ids, mode: 'alone' }])
    const doomed = sql<{ id: string }>`select id from ${sql.table(resource)} where ${ours} and id in (${sql.join(ids)})
      and deleted_at is not null and deleted_at <= ${before}`
    const found = (await doomed.execute(db)).rows.map((row) => row.id)
    if (found.length === 0) return
    const all = sql.join(found)
    await sql`delete from links where ${ours} and from_id in (${all})`.execute(db)
    await sql`delete from links where ${ours} and to_id in (${all})`.execute(db)
    await sql`delete from field_values where ${ours} and record_id in (${all})`.execute(db)
    await engine.search.removeAll(db, { workspaceId, table: resource }, found)
    await sql`delete from ${sql.table(resource)}
      where ${ours} and id in (${all}) and deleted_at is not null and deleted_at <= ${before}`.execute(db)
  })
}

/**
 * One transaction where several processes write. On SQLite, each statement by itself: this may run in a thread that cannot begin a
 * transaction, and whoever restores meanwhile goes by the same clock and refuses what is purged.
 */
async function purgingIn(engine: Engine, workspaceId: string, work: (db: Db) => Promise<void>): Promise<void> {
  if (!engine.concurrentWrites) return work(engine.single)
  await engine.transaction(async (inside) => {
    await engine.holdFields(inside, workspaceId)
    await work(inside)
  })
}

const oldMerges = fixed<Doomed>(
  `select workspace_id, id from merges where created_at <= ? order by workspace_id, id limit ${TOGETHER}`,
)

/** Some of the merges, in all workspaces, from before a moment. */
export function findOldMerges(db: Db, before: string): Promise<Doomed[]> {
  return oldMerges(db, [before])
}

/** Forgets merges and how to undo them. One that is being undone is waited for. */
export function purgeMerges(engine: Engine, { workspaceId, ids, before }: Purging): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table: 'merges', ids, mode: 'alone' }])
    const old = sql<{ id: string }>`select id from merges where ${ours} and id in (${sql.join(ids)})
      and created_at <= ${before}`
    const found = (await old.execute(db)).rows.map((row) => row.id)
    if (found.length === 0) return
    const all = sql.join(found)
    await sql`delete from merge_moves where ${ours} and merge_id in (${all})`.execute(db)
    await sql`delete from merge_losers where ${ours} and merge_id in (${all})`.execute(db)
    await sql`delete from merges where ${ours} and id in (${all})`.execute(db)
  })
}
