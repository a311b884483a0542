import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/**
 * Records that became one. `changes` holds what the winner took over, so that it can be undone. After that time it is
 * empty; the rest is kept as long as the workspace exists, so that old ids lead to the winner.
 */
type MergeRow = {
  id: string
  resource: ResourceName
  winner_id: string
  actor_id: string | null
  created_at: string
  undone_at: string | null
  changes: string
}

export type Merge = MergeRow & { loser_ids: string[] }

const losers = { table: 'merge_losers', columns: columnsOf(['workspace_id', 'merge_id', 'record_id']) }

export async function insertMerge(inside: Scope, merge: MergeRow, loserIds: readonly string[]): Promise<void> {
  await sql`insert into merges ${sql.values({ ...merge, workspace_id: inside.workspace.id })}`.run(inside.db)
  const rows = loserIds.map((id) => [inside.workspace.id, merge.id, id])
  await inside.engine.insertRows(inside.db, losers, rows)
}

/** A merge with the ids of its losers. */
export async function findMerge({ db, workspace }: Scope, id: string): Promise<Merge | undefined> {
  const merge = await sql<MergeRow>`select m.* from merges m
    where m.workspace_id = ${workspace.id} and m.id = ${id}`.one(db)
  if (!merge) return undefined
  const loser_ids = await sql<string>`select record_id from merge_losers
    where workspace_id = ${workspace.id} and merge_id = ${id} order by record_id`.column(db)
  return { ...merge, loser_ids }
}

/** The merge that deleted a record, unless it was undone. */
export function findMergeOf(scope: Scope, recordId: string): Promise<string | undefined> {
  return sql<string>`select m.id from merge_losers l
    join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
    where l.workspace_id = ${scope.workspace.id} and l.record_id = ${recordId} and m.undone_at is null
    order by m.id desc limit 1`.value(scope.db)
}

/** A record that was merged, the live record at the end of the chain, and the last merge of the chain. */
type MergedAway = { old_id: string; id: string; merge_id: string }

/** Where merged records are now. Records that were not merged, and those whose last winner is deleted, are left out. */
export async function loadMergedInto(
  { db, workspace }: Scope,
  { type }: Resource,
  ids: readonly string[],
): Promise<MergedAway[]> {
  if (ids.length === 0) return []
  const merges = sql`merge_losers l join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
      and m.resource = ${type} and m.undone_at is null`
  // Begins with "select": a transaction takes anything else for a write.
  return sql<MergedAway>`select c.old_id, c.id, c.merge_id from (
    with recursive chain (old_id, id, merge_id) as (
      select l.record_id, m.winner_id, m.id from ${merges}
      where l.workspace_id = ${workspace.id} and l.record_id in (${sql.join(ids)})
      union
      select c.old_id, m.winner_id, m.id from ${merges} join chain c on c.id = l.record_id
      where l.workspace_id = ${workspace.id})
    select * from chain) c
    join ${sql.table(type)} r on r.workspace_id = ${workspace.id} and r.id = c.id and r.deleted_at is null
    order by c.old_id`.all(db)
}

/** The ids of the records that were merged into a record, also through others. */
export function loadMergedIds({ db, workspace }: Scope, { type }: Resource, id: string): Promise<string[]> {
  const merges = sql`merges m join merge_losers l on l.workspace_id = m.workspace_id and l.merge_id = m.id`
  const ours = sql`m.workspace_id = ${workspace.id} and m.resource = ${type} and m.undone_at is null`
  return sql<string>`
    with recursive merged (id) as (
      select l.record_id from ${merges} where ${ours} and m.winner_id = ${id}
      union
      select l.record_id from ${merges} join merged c on c.id = m.winner_id where ${ours})
    select id from merged order by id`.column(db)
}

export async function markUndone(inside: Scope, id: string, at: string): Promise<void> {
  await sql`update merges set undone_at = ${at}
    where workspace_id = ${inside.workspace.id} and id = ${id}`.run(inside.db)
}

export type ListedMerge = MergeRow & { actor_name: string | null }

/** One page of the merges, of all times or since one, latest first, and their total. */
export async function loadMerges(
  scope: Scope,
  { resource, since, limit, offset }: { resource?: ResourceName; since?: string; limit: number; offset: number },
): Promise<{ rows: ListedMerge[]; total: number }> {
  const ofResource = resource ? sql`and m.resource = ${resource}` : sql``
  const recent = since === undefined ? sql`` : sql`and m.created_at > ${since}`
  const from = sql`from merges m left join users u on u.id = m.actor_id
    where m.workspace_id = ${scope.workspace.id} ${recent} ${ofResource}`
  const page = sql<ListedMerge>`
    select m.*, u.name as actor_name ${from} order by m.id desc limit ${limit} offset ${offset}`
  return { rows: await page.all(scope.db), total: await sql`select count(*) as total ${from}`.count(scope.db) }
}

/** The losers of several merges. */
export async function loadLosers(scope: Scope, mergeIds: readonly string[]) {
  if (mergeIds.length === 0) return []
  return sql<{ merge_id: string; record_id: string }>`select merge_id, record_id from merge_losers
    where workspace_id = ${scope.workspace.id} and merge_id in (${sql.join(mergeIds)})
    order by merge_id, record_id`.all(scope.db)
}
