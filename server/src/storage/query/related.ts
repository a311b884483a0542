import { INCLUDED_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Count, RelatedType, Relation, Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type LightRow, lightColumns, type RecordRow, shownColumns } from '../tables/records.ts'
import { liveRowsIn } from './fragments.ts'

/** With light custom fields that is 16 MiB at most. */
const RECORDS_PER_BATCH = 1000

/** As many parameters as both databases accept in one statement, with a margin. */
const IDS_PER_BATCH = 10_000

/** Live records by their ids, in batches, so that a reader can stop early. */
export async function* loadRecords(
  scope: Scope,
  type: ResourceName,
  ids: readonly string[],
): AsyncGenerator<LightRow[]> {
  for (let start = 0; start < ids.length; start += RECORDS_PER_BATCH) {
    const batch = ids.slice(start, start + RECORDS_PER_BATCH)
    const query = sql<LightRow>`select ${sql.raw(lightColumns(registry[type]))} ${liveAmong(scope, type, batch)}`
    yield await query.all(scope.db)
  }
}

/** The custom fields of live records, by their ids. */
export async function loadCustomFields(
  scope: Scope,
  type: ResourceName,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = sql<{ id: string; custom_fields: string }>`
    select r0.id, r0.custom_fields ${liveAmong(scope, type, ids)}`
  const rows = await query.all(scope.db)
  return new Map(rows.map((row) => [row.id, row.custom_fields]))
}

/** The names of records, live or deleted, by their ids. */
export async function loadLabels(
  scope: Scope,
  { type, label }: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  for (let start = 0; start < ids.length; start += IDS_PER_BATCH) {
    const batch = ids.slice(start, start + IDS_PER_BATCH)
    const query = sql<{ id: string; label: string }>`
      select r.id, ${sql.ref(`r.${label}`)} as label from ${sql.table(type)} r
      where r.workspace_id = ${scope.workspace.id} and r.id in (${sql.join(batch)})`
    for (const row of await query.all(scope.db)) labels.set(row.id, row.label)
  }
  return labels
}

/** Live records by their ids, with all columns. */
export function recordsAmong(scope: Scope, type: ResourceName, ids: readonly string[]): Sql<RecordRow> {
  return sql`select ${sql.raw(shownColumns(registry[type]))} ${liveAmong(scope, type, ids)}`
}

function liveAmong(scope: Scope, type: ResourceName, ids: readonly string[]): Sql<unknown> {
  return sql`from ${sql.table(type)} r0 where r0.workspace_id = ${scope.workspace.id}
    and r0.id in (${sql.join(ids)}) and r0.deleted_at is null order by r0.id`
}

/** Live records whose ids are the `record_id` of a select. */
export function recordsIn(scope: Scope, type: ResourceName, select: Sql<unknown>): Sql<LightRow> {
  const ids = sql`(${scope.engine.hints.distinctIds(select)})`
  return sql`select ${sql.raw(lightColumns(registry[type]))} ${liveRowsIn(scope, type, ids)} order by r0.id`
}

export type UserRow = { id: string; name: string; email: string }

const userColumns = sql.raw(`m.user_id as id, (select u.name from users u where u.id = m.user_id) as name,
  (select u.email from users u where u.id = m.user_id) as email`)

/** Those of the users who are members of the workspace. */
export async function loadMembers(scope: Scope, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return []
  return sql<UserRow>`select ${userColumns} from members m
    where m.workspace_id = ${scope.workspace.id} and m.user_id in (${sql.join(ids)}) order by m.user_id`.all(scope.db)
}

/** Members whose ids are the `record_id` of a select. */
export function membersIn(scope: Scope, select: Sql<unknown>): Sql<UserRow> {
  const { distinctIds, lookUpEach } = scope.engine.hints
  const each = sql`(${distinctIds(select)}) matching`
  const where = sql`m.workspace_id = ${scope.workspace.id} and m.user_id = matching.record_id`
  return sql`select ${userColumns} ${lookUpEach({ each, table: 'members', alias: 'm', where })} order by m.user_id`
}

/** A requested relation, by its name. */
export type Included = { name: string; relation: Relation }

export type Pair = { from_id: string; to_id: string }

/** The related ids of each record: live records and present members, one more than can be shown if there are more. */
export function relatedPairs(scope: Scope, included: Included, ids: readonly string[]): Sql<Pair> {
  return sql`select ranked.from_id, ranked.to_id from ${rankedPairs(scope, included, ids)}
    where ranked.place <= ${INCLUDED_MAX + 1} order by ranked.from_id, ranked.to_id`
}

/** The ids that are shown of a relation of any kind, as `record_id`. */
export function shownIds(
  scope: Scope,
  { resource, included }: { resource: Resource; included: Included },
  ids: readonly string[],
): Sql<unknown> {
  const { relation } = included
  if (relation.kind !== 'reference') {
    return sql`select ranked.to_id as record_id from ${rankedPairs(scope, included, ids)}
      where ranked.place <= ${INCLUDED_MAX}`
  }
  const column = sql.ref(`r.${relation.column}`)
  return sql`select ${column} as record_id from ${sql.table(resource.type)} r
    where r.workspace_id = ${scope.workspace.id} and r.id in (${sql.join(ids)}) and ${column} is not null`
}

function rankedPairs(scope: Scope, included: Included, ids: readonly string[]): Sql<unknown> {
  return sql`(select p.from_id, p.to_id, row_number() over (partition by p.from_id order by p.to_id) as place
    from (${pairsOf(scope, included, ids)}) p) ranked`
}

/** Pairs of a record and what it is related to. */
function pairsOf(scope: Scope, { name, relation }: Included, ids: readonly string[]): Sql<unknown> {
  const workspace = scope.workspace.id
  switch (relation.kind) {
    case 'reference':
      throw new Error('References are columns of the record itself.')
    case 'referring':
      return sql`select ${sql.ref(`t.${relation.column}`)} as from_id, t.id as to_id from ${sql.table(relation.to)} t
        where t.workspace_id = ${workspace} and ${sql.ref(`t.${relation.column}`)} in (${sql.join(ids)})
        and t.deleted_at is null`
    case 'linked':
      return sql`select l.from_id, l.to_id from links l where l.workspace_id = ${workspace}
        and l.from_id in (${sql.join(ids)}) and l.relation = ${name} and ${targetExists(relation.to)}`
  }
}

function targetExists(to: RelatedType): Sql<unknown> {
  return to === 'users'
    ? sql`exists (select 1 from members m where m.workspace_id = l.workspace_id and m.user_id = l.to_id)`
    : sql`exists (select 1 from ${sql.table(to)} t where t.workspace_id = l.workspace_id and t.id = l.to_id
        and t.deleted_at is null)`
}

export type Counted = { from_id: string; number: number }

/** The number of related records of each record; a record without any is left out. */
export function relatedCounts(
  scope: Scope,
  { resource, count }: { resource: Resource; count: Count },
  ids: readonly string[],
): Sql<Counted> {
  const pairs =
    count.of === 'linking' ? linkingPairs(scope, count.from, ids) : pairsOf(scope, named(resource, count), ids)
  return sql`select p.from_id, count(*) as number from (${pairs}) p group by p.from_id`
}

function named(resource: Resource, count: Count & { of: 'relation' }): Included {
  const relation = resource.relations[count.relation]
  if (!relation) throw new Error(`${resource.type} have no relation ${count.relation}.`)
  return { name: count.relation, relation }
}

/** Tasks or notes that are linked to a record; each counts once. */
function linkingPairs(scope: Scope, from: ResourceName, ids: readonly string[]): Sql<unknown> {
  return sql`select l.to_id as from_id, l.from_id as to_id from links l where l.workspace_id = ${scope.workspace.id}
    and l.to_id in (${sql.join(ids)}) and l.from_type = ${from}
    and exists (select 1 from ${sql.table(from)} t where t.workspace_id = l.workspace_id and t.id = l.from_id
      and t.deleted_at is null)`
}
