import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Db, Engine } from './engine.ts'
import { fixed } from './fixed.ts'
import { sql } from './sql.ts'

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

/**
 * Deletes records for good, with everything that belongs to them. Each statement stands for itself: the record comes last,
 * so that what was broken off half way is found again.
 */
export async function purgeRecords(
  { single, search }: Engine,
  resource: ResourceName,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  const all = sql.join(ids)
  await sql`delete from links where ${ours} and from_id in (${all})`.execute(single)
  await sql`delete from links where ${ours} and to_id in (${all})`.execute(single)
  await sql`delete from field_values where ${ours} and record_id in (${all})`.execute(single)
  await search.removeAll(single, workspaceId, resource, ids)
  await sql`delete from ${sql.table(resource)}
    where ${ours} and id in (${all}) and deleted_at is not null`.execute(single)
}

const oldMerges = fixed<Doomed>(
  `select workspace_id, id from merges where created_at <= ? order by workspace_id, id limit ${TOGETHER}`,
)

/** Some of the merges, in all workspaces, from before a moment. */
export function findOldMerges(db: Db, before: string): Promise<Doomed[]> {
  return oldMerges(db, [before])
}

/** Forgets merges and how to undo them. */
export async function purgeMerges({ single }: Engine, workspaceId: string, ids: readonly string[]): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  const all = sql.join(ids)
  await sql`delete from merge_moves where ${ours} and merge_id in (${all})`.execute(single)
  await sql`delete from merge_losers where ${ours} and merge_id in (${all})`.execute(single)
  await sql`delete from merges where ${ours} and id in (${all})`.execute(single)
}
