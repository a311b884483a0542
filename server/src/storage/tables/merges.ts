import type { Resource, ResourceName } from '@kith/contract/resource'
import type { RecordTenant, Tenant } from '../engines/engine.ts'
import { partPattern, type Sql, sql } from '../engines/sql.ts'
import type { Link } from './links.ts'
import { isNumbered, isOf } from './numbers.ts'
import { goneColumn } from './records.ts'
import { workspaceTable } from './table.ts'

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

export const mergeTable = workspaceTable<MergeRow>('merges')

/** The losers of merges, each with the change that deleted it. */
export const loserTable = workspaceTable<{ merge_id: string; record_id: string; change_id: string }>('merge_losers', {
  columns: ['merge_id', 'record_id', 'change_id'],
})

export type Merge = MergeRow & { loser_ids: string[] }

/** `changes` has the change of each loser, by its id. */
export async function insertMerge(
  inside: Tenant,
  merge: MergeRow,
  changes: ReadonlyMap<string, string>,
): Promise<void> {
  await mergeTable.insert(inside, merge)
  const losers = [...changes].map(([record_id, change_id]) => ({ merge_id: merge.id, record_id, change_id }))
  await loserTable.insertAll(inside, losers)
}

/** A merge with the ids of its losers. */
export async function findMerge(scope: Tenant, id: string): Promise<Merge | undefined> {
  const merge = await mergeTable.find(scope, { id })
  const losers = merge ? await loserTable.load(scope, { merge_id: id }, 'record_id') : []
  return merge && { ...merge, loser_ids: losers.map(({ record_id }) => record_id) }
}

/** The merge that deleted a record, unless it was undone. */
export function findMergeOf(scope: Tenant, recordId: string): Promise<string | undefined> {
  return sql<string>`select m.id from merge_losers l
    join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
    where l.workspace_id = ${scope.workspace.id} and l.record_id = ${recordId} and m.undone_at is null
    order by m.id desc limit 1`.value(scope.db)
}

/** The merges that deleted some records, unless they were undone, by the ids of these records. */
export async function loadMergesOf(
  scope: Tenant,
  recordIds: readonly string[],
): Promise<Map<string, { id: string; winner_id: string }>> {
  if (recordIds.length === 0) return new Map()
  const rows = await sql<{ record_id: string; id: string; winner_id: string }>`
    select l.record_id, m.id, m.winner_id from merge_losers l
    join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
    where l.workspace_id = ${scope.workspace.id} and l.record_id ${sql.among(recordIds)} and m.undone_at is null
    order by m.id`.all(scope.db)
  return new Map(rows.map(({ record_id, ...merge }) => [record_id, merge]))
}

/** The merge that a change of a loser belongs to, and the changes of all its losers, by their ids. */
export async function findMergeByChange(
  scope: Tenant,
  { record_id, id }: { record_id: string; id: string },
): Promise<{ merge: string; changes: Map<string, string> } | undefined> {
  const { db, workspace } = scope
  const merge = await sql<string>`select l.merge_id from merge_losers l where l.workspace_id = ${workspace.id}
    and l.record_id = ${record_id} and l.change_id = ${id}`.value(db)
  if (merge === undefined) return undefined
  const rows = await loserTable.load(scope, { merge_id: merge }, 'record_id')
  return { merge, changes: new Map(rows.map((row) => [row.record_id, row.change_id])) }
}

/** A record that was merged, the live record at the end of the chain, and the last merge of the chain. */
type MergedAway = { old_id: string; id: string; merge_id: string }

/** Where merged records are now. Records that were not merged, and those whose last winner is deleted, are left out. */
export async function loadMergedInto(
  scope: RecordTenant,
  { type }: Resource,
  ids: readonly string[],
): Promise<MergedAway[]> {
  if (ids.length === 0) return []
  const { db, workspace } = scope
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
    join records r on ${isOf(scope, type, 'r')} and r.id = c.id and r.deleted_at is null
    order by c.old_id`.all(db)
}

/** The ids of the records that were merged into a record, also through others. */
export function loadMergedIds({ db, workspace }: Tenant, { type }: Resource, id: string): Promise<string[]> {
  const merges = sql`merges m join merge_losers l on l.workspace_id = m.workspace_id and l.merge_id = m.id`
  const ours = sql`m.workspace_id = ${workspace.id} and m.resource = ${type} and m.undone_at is null`
  return sql<string>`
    with recursive merged (id) as (
      select l.record_id from ${merges} where ${ours} and m.winner_id = ${id}
      union
      select l.record_id from ${merges} join merged c on c.id = m.winner_id where ${ours})
    select id from merged order by id`.column(db)
}

type ListedMerge = MergeRow & { actor_name: string | null }

/** One page of the merges, of all times or since one, latest first, and their total. */
export async function loadMerges(
  scope: Tenant,
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

/**
 * A record whose reference or link a merge moved to the winner. `added` is 0 where undoing it leaves the winner.
 * `before`: the value of a reference field, as JSON.
 */
export type Move = {
  resource: ResourceName
  relation: string
  record_id: string
  from_id: string
  added: 0 | 1
  before?: string
}

const moveTable = workspaceTable<Move & { merge_id: string }>('merge_moves', {
  columns: ['merge_id', 'resource', 'relation', 'record_id', 'from_id', 'added', 'before'],
  numbers: ['added'],
})

export function insertMoves(inside: Tenant, merge_id: string, moves: readonly Move[]): Promise<void> {
  return moveTable.insertAll(
    inside,
    moves.map((move) => ({ ...move, merge_id })),
  )
}

/** A live or deleted record, and the record that its column refers to or referred to. */
export type ReferringRow = { id: string; updated_at: string; deleted_at: string | null; from_id: string }

/** A column of a resource that refers to some records. */
type ReferringColumn = { resource: Resource; column: string; ids: readonly string[] }

/**
 * The records that refer to one of the ids, including deleted ones. One statement, so that a record that is being
 * restored is seen in one state. Live records are found by the index of the column, deleted ones among all deleted.
 */
export function loadReferring(
  inside: RecordTenant,
  { resource, column, ids }: ReferringColumn,
): Promise<ReferringRow[]> {
  const named = sql.ref(`r.${column}`)
  const among = (state: Sql<unknown>) => sql`
    select r.id, r.updated_at, r.deleted_at, ${named} as from_id from records r
    where ${isOf(inside, resource.type, 'r')} and ${named} in (${sql.join(ids)}) and ${state}`
  return sql<ReferringRow>`${among(sql`r.deleted_at is null`)} union all ${among(sql`r.deleted_at is not null`)}
    order by id`.all(inside.db)
}

/** A live or deleted record whose reference fields refer to some records. */
export type ValueRow = {
  id: string
  number: number
  created_at: string
  updated_at: string
  deleted_at: string | null
  custom_fields: string
  gone: string | null
}

function valueColumns(resource: Resource): Sql<unknown> {
  return sql`r0.id, r0.number, r0.created_at, r0.updated_at, r0.deleted_at, r0.custom_fields,
    ${goneColumn(resource)} as gone`
}

/**
 * The records that refer to one of the ids in one of the fields. Live records are found in the index of the values,
 * deleted ones among all deleted.
 */
export function loadReferringValues(
  inside: RecordTenant,
  { resource, fields, ids }: { resource: Resource; fields: readonly number[]; ids: readonly string[] },
): Promise<ValueRow[]> {
  const columns = valueColumns(resource)
  const held = sql`select v.record from field_values v where v.workspace = ${inside.workspace.number}
    and v.field in (${sql.join(fields)}) and v.match_key in (${sql.join(ids)})`
  const named = ids.map((id) => sql`r0.custom_fields like ${partPattern(`"${id}"`)} escape '\\'`)
  return sql<ValueRow>`
    select ${columns} from records r0 where ${isNumbered(inside, resource.number, 'r0')}
      and r0.deleted_at is null and r0.number in (${held})
    union all select ${columns} from records r0 where ${isNumbered(inside, resource.number, 'r0')}
      and r0.deleted_at is not null and (${sql.join(named, sql` or `)})
    order by id`.all(inside.db)
}

/** A value that a merge moved, the name of its field, and the value before as JSON. */
export type MovedValue = ValueRow & { relation: string; before: string }

/** The values that a merge moved to its winner, and that stay there for no other reason. */
export function loadMovedValues(inside: RecordTenant, mergeId: string, resource: Resource): Promise<MovedValue[]> {
  return sql<MovedValue>`
    select ${valueColumns(resource)}, m.relation, m.before from merge_moves m
    join records r0 on ${isNumbered(inside, resource.number, 'r0')} and r0.id = m.record_id
    where m.workspace_id = ${inside.workspace.id} and m.merge_id = ${mergeId} and m.resource = ${resource.type}
    and m.before is not null and m.added = 1 order by r0.id, m.relation`.all(inside.db)
}

/** Makes every record that refers to one of the ids refer to another record. Only live ones get a new time. */
export async function replaceReferences(
  inside: RecordTenant,
  { resource, column, ids }: ReferringColumn,
  { by, at }: { by: string; at: string },
): Promise<void> {
  const ours = sql`${isOf(inside, resource.type, 'records')} and ${sql.ref(column)} in (${sql.join(ids)})`
  await sql`update records set ${sql.ref(column)} = ${by}, updated_at = ${at}
    where ${ours} and deleted_at is null`.run(inside.db)
  await sql`update records set ${sql.ref(column)} = ${by}
    where ${ours} and deleted_at is not null`.run(inside.db)
}

/** A link to one of some records, and whether the same record is already linked to the winner. */
export type LinkRow = { from_type: ResourceName; from_id: string; relation: string; to_id: string; held: 0 | 1 }

/** The links to any of the ids. */
export function loadLinksTo(inside: Tenant, ids: readonly string[], winnerId: string): Promise<LinkRow[]> {
  return sql<LinkRow>`
    select l.from_type, l.from_id, l.relation, l.to_id, case when exists (
      select 1 from links w where w.workspace_id = l.workspace_id and w.from_id = l.from_id
      and w.relation = l.relation and w.to_id = ${winnerId}) then 1 else 0 end as held
    from links l where l.workspace_id = ${inside.workspace.id} and l.to_id in (${sql.join(ids)})
    order by l.from_type, l.relation, l.from_id, l.to_id`.all(inside.db)
}

/** The links from any of the ids. */
export function loadLinksFrom(inside: Tenant, ids: readonly string[]): Promise<Link[]> {
  return sql<Link>`select from_id, relation, to_id from links
    where workspace_id = ${inside.workspace.id} and from_id in (${sql.join(ids)})
    order by relation, from_id, to_id`.all(inside.db)
}

type RecordTime = { id: string; updated_at: string }

/** The live records that a merge linked to its winner and that still have the link, or those linked to a record. */
export function loadLinked(inside: RecordTenant, linked: LinkCondition): Promise<RecordTime[]> {
  return sql<RecordTime>`
    select r.id, r.updated_at from records r where ${isOf(inside, linked.type, 'r')}
    and r.deleted_at is null and r.id in (${linkedIds(inside, linked)}) order by r.id`.all(inside.db)
}

/** Gives the same records a new time. */
export async function touchLinked(inside: RecordTenant, linked: LinkCondition, at: string): Promise<void> {
  await sql`update records set updated_at = ${at} where ${isOf(inside, linked.type, 'records')}
    and deleted_at is null and id in (${linkedIds(inside, linked)})`.run(inside.db)
}

type LinkCondition =
  | { type: ResourceName; merge_id: string; winner_id: string; held: boolean }
  | { type: ResourceName; to_id: string }

function linkedIds(inside: Tenant, linked: LinkCondition): Sql<unknown> {
  if ('to_id' in linked) {
    return sql`select l.from_id from links l
      where l.workspace_id = ${inside.workspace.id} and l.to_id = ${linked.to_id} and l.from_type = ${linked.type}`
  }
  const { merge_id, type, winner_id, held } = linked
  return sql`select m.record_id from merge_moves m
    join links w on w.workspace_id = m.workspace_id and w.from_id = m.record_id and w.relation = m.relation
      and w.to_id = ${winner_id}
    where m.workspace_id = ${inside.workspace.id} and m.merge_id = ${merge_id} and m.resource = ${type}
    ${held ? sql`` : sql`and m.added = 1`}`
}

/** The references of a column that a merge moved. */
type MovedColumn = { merge_id: string; resource: Resource; column: string; winner_id: string }

/**
 * Notes that records now refer to the winner of an earlier merge for another reason than that merge. They stay when it
 * is undone.
 */
export async function stayWithWinners(
  inside: Tenant,
  { type, column, ids, to }: { type: ResourceName; column: string; ids: readonly string[]; to: readonly string[] },
): Promise<void> {
  const { id } = inside.workspace
  await sql`
    update merge_moves set added = 0 where workspace_id = ${id} and merge_id in (
      select m.id from merges m where m.workspace_id = ${id} and m.winner_id ${sql.among(to)} and m.undone_at is null)
    and resource = ${type} and relation = ${column} and record_id ${sql.among(ids)}`.run(inside.db)
}

/** The records that a merge moved to the winner and that still refer to it, with their earlier references. */
export function loadMoved(inside: RecordTenant, moved: MovedColumn): Promise<ReferringRow[]> {
  return sql<ReferringRow>`
    select r.id, r.updated_at, r.deleted_at, m.from_id from merge_moves m
    join records r on ${isOf(inside, moved.resource.type, 'r')} and r.id = m.record_id
    where ${isMove(inside, moved)} and ${sql.ref(`r.${moved.column}`)} = ${moved.winner_id} order by r.id`.all(
    inside.db,
  )
}

/** Restores the earlier references of these records. */
export async function moveBack(inside: RecordTenant, moved: MovedColumn, at: string): Promise<void> {
  await sql`
    update records set ${sql.ref(moved.column)} = m.from_id,
      updated_at = case when records.deleted_at is null then ${at} else records.updated_at end
    from merge_moves m where ${isMove(inside, moved)} and ${isOf(inside, moved.resource.type, 'records')}
    and records.id = m.record_id and ${sql.ref(`records.${moved.column}`)} = ${moved.winner_id}`.run(inside.db)
}

function isMove(inside: Tenant, { merge_id, resource, column }: MovedColumn): Sql<unknown> {
  return sql`m.workspace_id = ${inside.workspace.id} and m.merge_id = ${merge_id}
    and m.resource = ${resource.type} and m.relation = ${column} and m.added = 1`
}

/** The records, live or deleted, whose references or links to the losers a merge moved. */
export function loadMovedIds(inside: Tenant, mergeId: string, type: ResourceName): Promise<string[]> {
  return sql<string>`select distinct record_id from merge_moves
    where workspace_id = ${inside.workspace.id} and merge_id = ${mergeId} and resource = ${type}`.column(inside.db)
}

export type MovedLink = { record_id: string; relation: string; from_id: string; added: number }

/** The links to losers that a merge replaced by links to its winner, or that were next to one. */
export function loadMovedLinks(inside: Tenant, mergeId: string, type: ResourceName): Promise<MovedLink[]> {
  return sql<MovedLink>`select m.record_id, m.relation, m.from_id, m.added from merge_moves m
    where m.workspace_id = ${inside.workspace.id} and m.merge_id = ${mergeId} and m.resource = ${type}
    and m.before is null order by m.relation, m.record_id, m.from_id`.all(inside.db)
}

/**
 * Undoes the moved links. The links to the losers are still stored, hidden. A record that has meanwhile lost its link
 * to the winner also loses the one to the loser; the links that the merge added are deleted.
 */
export async function unlinkWinner(
  inside: Tenant,
  mergeId: string,
  { type, winnerId }: { type: ResourceName; winnerId: string },
): Promise<void> {
  const { id } = inside.workspace
  const moves = sql`merge_moves m where m.workspace_id = ${id} and m.merge_id = ${mergeId} and m.resource = ${type}`
  await sql`
    delete from links where workspace_id = ${id} and (from_id, relation, to_id) in (
      select m.record_id, m.relation, m.from_id from ${moves} and not exists (
        select 1 from links w where w.workspace_id = ${id} and w.from_id = m.record_id
        and w.relation = m.relation and w.to_id = ${winnerId}))`.run(inside.db)
  await sql`
    delete from links where workspace_id = ${id} and to_id = ${winnerId} and (from_id, relation) in (
      select m.record_id, m.relation from ${moves} and m.added = 1)`.run(inside.db)
}

/** Gives the live records whose column refers to a record a new time. */
export async function touchReferring(
  inside: RecordTenant,
  { resource, column, id }: { resource: Resource; column: string; id: string },
  at: string,
): Promise<void> {
  await sql`update records set updated_at = ${at} where ${isOf(inside, resource.type, 'records')}
    and ${sql.ref(column)} = ${id} and deleted_at is null`.run(inside.db)
}
