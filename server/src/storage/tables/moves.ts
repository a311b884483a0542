import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import type { Column } from '../engines/stored-table.ts'

/** A record that came to refer to, or be linked to, another one than before. */
export type Move = { resource: ResourceName; relation: string; record_id: string; from_id: string; added: 0 | 1 }

const columns: readonly Column[] = [
  ...['workspace_id', 'merge_id', 'resource', 'relation', 'record_id', 'from_id'].map(
    (name): Column => ({ name, type: 'text' }),
  ),
  { name: 'added', type: 'number' },
]

export async function insertMoves(inside: Scope, mergeId: string, moves: readonly Move[]): Promise<void> {
  const rows = moves.map((move) => [
    ...[inside.workspace.id, mergeId, move.resource, move.relation, move.record_id, move.from_id],
    move.added,
  ])
  await inside.engine.insertRows(inside.db, 'merge_moves', columns, rows)
}

/** A live or deleted record, and which of some records its column names or named. */
export type Referring = { id: string; updated_at: string; deleted_at: string | null; from_id: string }

/**
 * The records whose column names one of the ids, deleted ones too. One statement, so that a record that is being restored
 * is seen in one state or the other. Live records are found by the index of the column, deleted ones among all that are deleted.
 */
export async function loadReferring(inside: Scope, resource: Resource, column: string, ids: readonly string[]) {
  const named = sql.ref(`r.${column}`)
  const among = (state: RawBuilder<unknown>) => sql`
    select r.id, r.updated_at, r.deleted_at, ${named} as from_id from ${sql.table(resource.type)} r
    where r.workspace_id = ${inside.workspace.id} and ${named} in (${sql.join(ids)}) and ${state}`
  const query = sql<Referring>`${among(sql`r.deleted_at is null`)} union all ${among(sql`r.deleted_at is not null`)}
    order by id`
  return (await query.execute(inside.db)).rows
}

/** Makes every record whose column names one of the ids name another one. Only live ones get a new time. */
export async function replaceReferences(
  inside: Scope,
  resource: Resource,
  column: string,
  { ids, by, at }: { ids: readonly string[]; by: string; at: string },
): Promise<void> {
  const table = sql.table(resource.type)
  const ours = sql`workspace_id = ${inside.workspace.id} and ${sql.ref(column)} in (${sql.join(ids)})`
  await sql`update ${table} set ${sql.ref(column)} = ${by}, updated_at = ${at}
    where ${ours} and deleted_at is null`.execute(inside.db)
  await sql`update ${table} set ${sql.ref(column)} = ${by}
    where ${ours} and deleted_at is not null`.execute(inside.db)
}

/** A link to one of some records, and whether the same record is linked to the winner already. */
export type LinkRow = { from_type: ResourceName; from_id: string; relation: string; to_id: string; held: 0 | 1 }

/** The links to any of the ids. */
export async function loadLinksTo(inside: Scope, ids: readonly string[], winnerId: string): Promise<LinkRow[]> {
  const query = sql<LinkRow>`
    select l.from_type, l.from_id, l.relation, l.to_id, case when exists (
      select 1 from links w where w.workspace_id = l.workspace_id and w.from_id = l.from_id
      and w.relation = l.relation and w.to_id = ${winnerId}) then 1 else 0 end as held
    from links l where l.workspace_id = ${inside.workspace.id} and l.to_id in (${sql.join(ids)})
    order by l.from_type, l.relation, l.from_id, l.to_id`
  return (await query.execute(inside.db)).rows
}

/** Links from any of the ids. */
export async function loadLinksFrom(inside: Scope, ids: readonly string[]) {
  return inside.db.query
    .selectFrom('links')
    .select(['from_id', 'relation', 'to_id'])
    .where('workspace_id', '=', inside.workspace.id)
    .where('from_id', 'in', ids)
    .orderBy('relation')
    .orderBy('from_id')
    .orderBy('to_id')
    .execute()
}

export type Touched = { id: string; updated_at: string }

/** The live records whose link to the winner a merge made and which still have it. */
export async function loadLinked(inside: Scope, mergeId: string, type: ResourceName, winnerId: string) {
  const query = sql<Touched>`
    select r.id, r.updated_at from ${sql.table(type)} r where r.workspace_id = ${inside.workspace.id}
    and r.deleted_at is null and r.id in (${linkedByMerge(inside, mergeId, type, winnerId)}) order by r.id`
  return (await query.execute(inside.db)).rows
}

/** Gives these same records a new time. */
export async function touchLinked(
  inside: Scope,
  mergeId: string,
  type: ResourceName,
  { winnerId, at }: { winnerId: string; at: string },
): Promise<void> {
  await sql`update ${sql.table(type)} set updated_at = ${at} where workspace_id = ${inside.workspace.id}
    and deleted_at is null and id in (${linkedByMerge(inside, mergeId, type, winnerId)})`.execute(inside.db)
}

function linkedByMerge(inside: Scope, mergeId: string, type: ResourceName, winnerId: string): RawBuilder<unknown> {
  return sql`select m.record_id from merge_moves m
    join links w on w.workspace_id = m.workspace_id and w.from_id = m.record_id and w.relation = m.relation
      and w.to_id = ${winnerId}
    where m.workspace_id = ${inside.workspace.id} and m.merge_id = ${mergeId} and m.resource = ${type} and m.added = 1`
}
