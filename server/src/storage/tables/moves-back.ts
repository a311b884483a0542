import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import type { Referring } from './moves.ts'

/** Which references a merge moved: those of a column of a resource. */
export type MovedColumn = { merge_id: string; resource: Resource; column: string; winner_id: string }

/** The records that a merge moved to the winner and that still refer to it, with what they referred to before. */
export async function loadMoved(inside: Scope, moved: MovedColumn): Promise<Referring[]> {
  const query = sql<Referring>`
    select r.id, r.updated_at, r.deleted_at, m.from_id from merge_moves m
    join ${sql.table(moved.resource.type)} r on r.workspace_id = m.workspace_id and r.id = m.record_id
    where ${isMove(inside, moved)} and ${sql.ref(`r.${moved.column}`)} = ${moved.winner_id} order by r.id`
  return (await query.execute(inside.db)).rows
}

/** Makes these same records refer to what they referred to before. */
export async function moveBack(inside: Scope, moved: MovedColumn, at: string): Promise<void> {
  const table = sql.table(moved.resource.type)
  await sql`
    update ${table} set ${sql.ref(moved.column)} = m.from_id,
      updated_at = case when ${table}.deleted_at is null then ${at} else ${table}.updated_at end
    from merge_moves m where ${isMove(inside, moved)} and ${table}.workspace_id = ${inside.workspace.id}
    and ${table}.id = m.record_id and ${sql.ref(`${moved.resource.type}.${moved.column}`)} = ${moved.winner_id}`.execute(
    inside.db,
  )
}

function isMove(inside: Scope, { merge_id, resource, column }: MovedColumn): RawBuilder<unknown> {
  return sql`m.workspace_id = ${inside.workspace.id} and m.merge_id = ${merge_id}
    and m.resource = ${resource.type} and m.relation = ${column}`
}

const linking = fixed<{ record_id: string }>(
  'select distinct record_id from merge_moves where workspace_id = ? and merge_id = ? and resource = ?',
)

/** The records, live or deleted, that a merge came across when it moved what refers or is linked to its losers. */
export async function loadMovedIds(inside: Scope, mergeId: string, type: ResourceName): Promise<string[]> {
  const rows = await linking(inside.db, [inside.workspace.id, mergeId, type])
  return rows.map((row) => row.record_id)
}

export type MovedLink = { record_id: string; relation: string; from_id: string }

/** The links that a merge made to its winner, by what they were to before. */
export async function loadMovedLinks(inside: Scope, mergeId: string, type: ResourceName): Promise<MovedLink[]> {
  const query = sql<MovedLink>`select m.record_id, m.relation, m.from_id from merge_moves m
    where m.workspace_id = ${inside.workspace.id} and m.merge_id = ${mergeId} and m.resource = ${type} and m.added = 1
    order by m.relation, m.record_id, m.from_id`
  return (await query.execute(inside.db)).rows
}

/**
 * The links that a merge moved: those to the losers have stayed where they were, out of sight. Whoever has meanwhile lost
 * the link to the winner loses that to the loser, too; the links that the merge made are taken away.
 */
export async function unlinkWinner(
  inside: Scope,
  mergeId: string,
  { type, winnerId }: { type: ResourceName; winnerId: string },
): Promise<void> {
  const workspaceId = inside.workspace.id
  const moves = sql`merge_moves m where m.workspace_id = ${workspaceId} and m.merge_id = ${mergeId} and m.resource = ${type}`
  await sql`
    delete from links where workspace_id = ${workspaceId} and (from_id, relation, to_id) in (
      select m.record_id, m.relation, m.from_id from ${moves} and not exists (
        select 1 from links w where w.workspace_id = ${workspaceId} and w.from_id = m.record_id
        and w.relation = m.relation and w.to_id = ${winnerId}))`.execute(inside.db)
  await sql`
    delete from links where workspace_id = ${workspaceId} and to_id = ${winnerId} and (from_id, relation) in (
      select m.record_id, m.relation from ${moves} and m.added = 1)`.execute(inside.db)
}
