import { INCLUDED_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Count, RelatedType, Relation, Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import { type RecordRow, shownColumns } from './records.ts'
import { type RawBuilder, sql } from './sql.ts'

/** Which related ids belong to which record, in their order. */
export type RelatedIds = ReadonlyMap<string, readonly string[]>

type Pair = { from_id: string; to_id: string }

/** The related ids of each record: live records and present members only, one more than can be shown where there are more. */
export async function loadRelatedIds(
  scope: Scope,
  relation: Relation,
  name: string,
  records: readonly RecordRow[],
): Promise<RelatedIds> {
  const ids = records.map((record) => record.id)
  if (ids.length === 0) return new Map()
  const pairs = sql`select ranked.from_id, ranked.to_id from (
      select p.from_id, p.to_id, row_number() over (partition by p.from_id order by p.to_id) as place
      from (${pairsOf(scope, relation, name, ids)}) p) ranked
    where ranked.place <= ${INCLUDED_MAX + 1} order by ranked.from_id, ranked.to_id`
  return grouped(await run<Pair>(scope, pairs))
}

/** Pairs of a record and what it is related to. */
function pairsOf(scope: Scope, relation: Relation, name: string, ids: readonly string[]): RawBuilder<unknown> {
  const workspace = scope.workspace.id
  switch (relation.kind) {
    case 'reference':
      throw new Error('The record itself holds its references.')
    case 'referring':
      return sql`select ${sql.ref(`t.${relation.column}`)} as from_id, t.id as to_id from ${sql.table(relation.to)} t
        where t.workspace_id = ${workspace} and ${sql.ref(`t.${relation.column}`)} in (${sql.join(ids)})
        and t.deleted_at is null`
    case 'linked':
      return sql`select l.from_id, l.to_id from links l where l.workspace_id = ${workspace}
        and l.from_id in (${sql.join(ids)}) and l.relation = ${name} and ${targetIsThere(relation.to)}`
  }
}

function targetIsThere(to: RelatedType): RawBuilder<unknown> {
  return to === 'users'
    ? sql`exists (select 1 from members m where m.workspace_id = l.workspace_id and m.user_id = l.to_id)`
    : sql`exists (select 1 from ${sql.table(to)} t where t.workspace_id = l.workspace_id and t.id = l.to_id
        and t.deleted_at is null)`
}

/** How many there are for each record; a record without any is not in the map. */
export async function loadCounts(
  scope: Scope,
  resource: Resource,
  count: Count,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const pairs =
    count.of === 'linking' ? linkingPairs(scope, count.from, ids) : relationPairs(scope, resource, count, ids)
  const rows = await run<{ from_id: string; number: number }>(
    scope,
    sql`select p.from_id, count(*) as number from (${pairs}) p group by p.from_id`,
  )
  return new Map(rows.map((row) => [row.from_id, row.number]))
}

function relationPairs(scope: Scope, resource: Resource, count: Count & { of: 'relation' }, ids: readonly string[]) {
  const relation = resource.relations[count.relation]
  if (!relation) throw new Error(`${resource.type} have no relation ${count.relation}.`)
  return pairsOf(scope, relation, count.relation, ids)
}

/** Tasks or notes that are linked to a record; each counts once. */
function linkingPairs(scope: Scope, from: ResourceName, ids: readonly string[]): RawBuilder<unknown> {
  return sql`select l.to_id as from_id, l.from_id as to_id from links l where l.workspace_id = ${scope.workspace.id}
    and l.to_id in (${sql.join(ids)}) and l.from_type = ${from}
    and exists (select 1 from ${sql.table(from)} t where t.workspace_id = l.workspace_id and t.id = l.from_id
      and t.deleted_at is null)`
}

/** As many parameters as both databases take in one statement, with room to spare. */
const IDS_TOGETHER = 10_000

/** Live records by their ids. */
export async function loadRecords(scope: Scope, type: ResourceName, ids: readonly string[]): Promise<RecordRow[]> {
  const rows: RecordRow[] = []
  for (let start = 0; start < ids.length; start += IDS_TOGETHER) {
    const some = ids.slice(start, start + IDS_TOGETHER)
    const query = sql`select ${sql.raw(shownColumns(registry[type]))} from ${sql.table(type)} r0
      where r0.workspace_id = ${scope.workspace.id} and r0.id in (${sql.join(some)}) and r0.deleted_at is null order by r0.id`
    rows.push(...(await run<RecordRow>(scope, query)))
  }
  return rows
}

export type UserRow = { id: string; name: string; email: string }

/** Those of the users who are members of the workspace. */
export async function loadMembers(scope: Scope, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return []
  return scope.db.query
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.name', 'users.email'])
    .where('members.workspace_id', '=', scope.workspace.id)
    .where('members.user_id', 'in', ids)
    .orderBy('users.id')
    .execute()
}

function grouped(pairs: readonly Pair[]): RelatedIds {
  const groups = new Map<string, string[]>()
  for (const { from_id, to_id } of pairs) {
    const group = groups.get(from_id)
    if (group) group.push(to_id)
    else groups.set(from_id, [to_id])
  }
  return groups
}

async function run<Row>(scope: Scope, query: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await query.execute(scope.db)
  // The row is what the statement above selects.
  return rows as Row[]
}
