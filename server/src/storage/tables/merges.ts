import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import type { Column } from '../engines/stored-table.ts'
import type { MergesTable } from './tables.ts'

export type MergeRow = Omit<MergesTable, 'workspace_id' | 'resource'> & { resource: ResourceName }

export type Merge = MergeRow & { loser_ids: string[] }

const loserColumns: readonly Column[] = ['workspace_id', 'merge_id', 'record_id'].map((name) => ({
  name,
  type: 'text',
}))

export async function insertMerge(inside: Scope, merge: MergeRow, loserIds: readonly string[]): Promise<void> {
  await inside.db.query
    .insertInto('merges')
    .values({ ...merge, workspace_id: inside.workspace.id })
    .execute()
  const rows = loserIds.map((id) => [inside.workspace.id, merge.id, id])
  await inside.engine.insertRows(inside.db, 'merge_losers', loserColumns, rows)
}

const found = fixed<MergeRow>('select m.* from merges m where m.workspace_id = ? and m.id = ?')
const losers = fixed<{ record_id: string }>(
  'select record_id from merge_losers where workspace_id = ? and merge_id = ? order by record_id',
)

/** A merge with the ids of its losers. */
export async function findMerge(inside: Scope, id: string): Promise<Merge | undefined> {
  const key = [inside.workspace.id, id]
  const [merge] = await found(inside.db, key)
  if (!merge) return undefined
  const rows = await losers(inside.db, key)
  return { ...merge, loser_ids: rows.map((row) => row.record_id) }
}

const losing = fixed<{ id: string }>(
  `select m.id from merge_losers l join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
   where l.workspace_id = ? and l.record_id = ? and m.undone_at is null order by m.id desc limit 1`,
)

/** The merge by which a record was deleted, unless it was undone. */
export async function findMergeOf(scope: Scope, recordId: string): Promise<string | undefined> {
  const [row] = await losing(scope.db, [scope.workspace.id, recordId])
  return row?.id
}

const undone = fixed('update merges set undone_at = ? where workspace_id = ? and id = ?')

export async function markUndone(inside: Scope, id: string, at: string): Promise<void> {
  await undone(inside.db, [at, inside.workspace.id, id])
}

export type ListedMerge = MergeRow & { actor_name: string | null }

/** One page of the merges since a moment, latest first, and how many there are. */
export async function loadMerges(
  scope: Scope,
  { resource, since, limit, offset }: { resource?: ResourceName; since: string; limit: number; offset: number },
): Promise<{ rows: ListedMerge[]; total: number }> {
  const ofResource = resource ? sql`and m.resource = ${resource}` : sql``
  const from = sql`from merges m left join users u on u.id = m.actor_id
    where m.workspace_id = ${scope.workspace.id} and m.created_at > ${since} ${ofResource}`
  const page = sql<ListedMerge>`
    select m.*, u.name as actor_name ${from} order by m.id desc limit ${limit} offset ${offset}`
  const { rows } = await page.execute(scope.db)
  const counted = await sql<{ total: number }>`select count(*) as total ${from}`.execute(scope.db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

/** The losers of several merges. */
export async function loadLosers(scope: Scope, mergeIds: readonly string[]) {
  if (mergeIds.length === 0) return []
  return scope.db.query
    .selectFrom('merge_losers')
    .select(['merge_id', 'record_id'])
    .where('workspace_id', '=', scope.workspace.id)
    .where('merge_id', 'in', mergeIds)
    .orderBy('merge_id')
    .orderBy('record_id')
    .execute()
}
