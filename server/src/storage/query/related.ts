import { INCLUDED_MAX } from '@kith/contract/limits'
import {
  type Count,
  type RelatedType,
  type Relation,
  type Resource,
  type ResourceName,
  resourceIn,
} from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type ExternalIdRow, externalIdsAmong } from '../tables/external-ids.ts'
import type { UserRow } from '../tables/members.ts'
import { isOf } from '../tables/numbers.ts'
import { type LightRow, lightColumns, type RecordRow, shownColumns } from '../tables/records.ts'
import { isValueOf, rowsOf } from './order.ts'

/** With light custom fields that is 16 MiB at most. */
const RECORDS_PER_BATCH = 1000

/** As many parameters as both databases accept in one statement, with a margin. */
const IDS_PER_BATCH = 10_000

/** Live records by their ids, in batches, so that a reader can stop early. */
export async function* loadRecords(
  scope: Reader,
  type: ResourceName,
  ids: readonly string[],
): AsyncGenerator<LightRow[]> {
  for (let start = 0; start < ids.length; start += RECORDS_PER_BATCH) {
    const batch = ids.slice(start, start + RECORDS_PER_BATCH)
    const query = sql<LightRow>`select ${lightColumns(scope, resourceIn(scope.schema, type))} ${liveAmong(scope, type, batch)}`
    yield await query.all(scope.db)
  }
}

/** The custom fields of live records, by their ids. */
export async function loadCustomFields(
  scope: Reader,
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
  scope: Reader,
  { type }: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  for (let start = 0; start < ids.length; start += IDS_PER_BATCH) {
    const batch = ids.slice(start, start + IDS_PER_BATCH)
    const query = sql<{ id: string; label: string }>`
      select r.id, r.name as label from records r
      where ${isOf(scope, type, 'r')} and r.id in (${sql.join(batch)})`
    for (const row of await query.all(scope.db)) labels.set(row.id, row.label)
  }
  return labels
}

/** Live records by their ids, with all columns. */
function recordsAmong(scope: Reader, type: ResourceName, ids: readonly string[]): Sql<RecordRow> {
  return sql`select ${shownColumns(scope, resourceIn(scope.schema, type))} ${liveAmong(scope, type, ids)}`
}

function liveAmong(scope: Reader, type: ResourceName, ids: readonly string[]): Sql<unknown> {
  return sql`from records r0 where ${isOf(scope, type, 'r0')}
    and r0.id in (${sql.join(ids)}) and r0.deleted_at is null order by r0.id`
}

/** Live records whose ids are the `record_id` of a select. */
function recordsIn(scope: Reader, type: ResourceName, select: Sql<unknown>): Sql<LightRow> {
  const each = sql`(select distinct one.record_id from (${select}) one) matching`
  const rows = rowsOf(scope, type, { each, where: sql`r0.id = matching.record_id and r0.deleted_at is null` })
  return sql`select ${lightColumns(scope, resourceIn(scope.schema, type))} ${rows} order by r0.id`
}

const userColumns = sql.raw(`m.user_id as id, (select u.name from users u where u.id = m.user_id) as name,
  (select u.email from users u where u.id = m.user_id) as email`)

/** Those of the users who are members of the workspace. */
export async function loadMembers(scope: Reader, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return []
  return sql<UserRow>`select ${userColumns} from members m
    where m.workspace_id = ${scope.workspace.id} and m.user_id in (${sql.join(ids)}) order by m.user_id`.all(scope.db)
}

/** Members whose ids are the `record_id` of a select. */
function membersIn(scope: Reader, select: Sql<unknown>): Sql<UserRow> {
  const each = sql`(select distinct one.record_id from (${select}) one) matching`
  const where = sql`m.workspace_id = ${scope.workspace.id} and m.user_id = matching.record_id`
  return sql`select ${userColumns} ${scope.engine.hints.lookUpEach({ each, table: 'members', alias: 'm', where })}
    order by m.user_id`
}

/** A requested relation, by its name. */
export type Inclusion = { name: string; relation: Relation }

type Pair = { from_id: string; to_id: string }

/** The related ids of each record: live records and present members, one more than can be shown if there are more. */
function relatedPairs(scope: Reader, included: Inclusion, ids: readonly string[]): Sql<Pair> {
  return sql`select ranked.from_id, ranked.to_id from ${rankedPairs(scope, included, ids)}
    where ranked.place <= ${INCLUDED_MAX + 1} order by ranked.from_id, ranked.place`
}

/** The ids that are shown of a relation of any kind, as `record_id`. */
function shownIds(
  scope: Reader,
  { resource, included }: { resource: Resource; included: Inclusion },
  ids: readonly string[],
): Sql<unknown> {
  const { relation } = included
  if (relation.kind !== 'reference') {
    return sql`select ranked.to_id as record_id from ${rankedPairs(scope, included, ids)}
      where ranked.place <= ${INCLUDED_MAX}`
  }
  const column = sql.ref(`r.${relation.column}`)
  return sql`select ${column} as record_id from records r
    where ${isOf(scope, resource.type, 'r')} and r.id in (${sql.join(ids)}) and ${column} is not null`
}

/** Related records are in the order of their ids, those of a reference field in the order of its value. */
function rankedPairs(scope: Reader, included: Inclusion, ids: readonly string[]): Sql<unknown> {
  const order = included.relation.kind === 'field' ? sql`p.place` : sql`p.to_id`
  return sql`(select p.from_id, p.to_id, row_number() over (partition by p.from_id order by ${order}) as place
    from (${pairsOf(scope, included, ids)}) p) ranked`
}

/** Pairs of a record and its related record. */
function pairsOf(scope: Reader, { name, relation }: Inclusion, ids: readonly string[]): Sql<unknown> {
  const workspace = scope.workspace.id
  switch (relation.kind) {
    case 'reference':
      throw new Error('References are columns of the record itself.')
    case 'referring':
      return sql`select ${sql.ref(`t.${relation.column}`)} as from_id, t.id as to_id from records t
        where ${isOf(scope, relation.to, 't')} and ${sql.ref(`t.${relation.column}`)} in (${sql.join(ids)})
        and t.deleted_at is null`
    case 'linked':
      return sql`select l.from_id, l.to_id from links l where l.workspace_id = ${workspace}
        and l.from_id in (${sql.join(ids)}) and l.relation = ${name} and ${targetExists(scope, relation.to, 'l.to_id')}`
    case 'field': {
      const each = sql`(select r.id, r.number from records r
        where ${isOf(scope, relation.field.entity_type, 'r')} and r.id in (${sql.join(ids)})) own`
      const where = sql`${isValueOf(scope, relation.field)} and v.record = own.number`
      return sql`select own.id as from_id, v.match_key as to_id, v.place
        ${scope.engine.hints.lookUpEach({ each, table: 'field_values', alias: 'v', where })}
        and ${targetExists(scope, relation.to, 'v.match_key')}`
    }
    case 'inverse': {
      const each = sql`(select v.match_key, v.record from field_values v
        where ${isValueOf(scope, relation.field)} and v.match_key in (${sql.join(ids)})) v`
      const where = sql`${isOf(scope, relation.to, 't')} and t.number = v.record and t.deleted_at is null`
      return sql`select v.match_key as from_id, t.id as to_id
        ${scope.engine.hints.lookUpEach({ each, table: 'records', alias: 't', where })}`
    }
  }
}

function targetExists(scope: Reader, to: RelatedType, column: string): Sql<unknown> {
  const id = sql.ref(column)
  return to === 'users'
    ? sql`exists (select 1 from members m where m.workspace_id = ${scope.workspace.id} and m.user_id = ${id})`
    : sql`exists (select 1 from records t where ${isOf(scope, to, 't')} and t.id = ${id} and t.deleted_at is null)`
}

type RelatedCount = { from_id: string; number: number }

/** The number of related records of each record; a record without any is left out. */
function relatedCounts(
  scope: Reader,
  { resource, count }: { resource: Resource; count: Count },
  ids: readonly string[],
): Sql<RelatedCount> {
  const pairs =
    count.of === 'linking' ? linkingPairs(scope, count.from, ids) : pairsOf(scope, named(resource, count), ids)
  return sql`select p.from_id, count(*) as number from (${pairs}) p group by p.from_id`
}

function named(resource: Resource, count: Count & { of: 'relation' }): Inclusion {
  const relation = resource.relations[count.relation]
  if (!relation) throw new Error(`${resource.type} have no relation ${count.relation}.`)
  return { name: count.relation, relation }
}

/** Tasks or notes that are linked to a record; each counts once. */
function linkingPairs(scope: Reader, from: ResourceName, ids: readonly string[]): Sql<unknown> {
  return sql`select l.to_id as from_id, l.from_id as to_id from links l where l.workspace_id = ${scope.workspace.id}
    and l.to_id in (${sql.join(ids)}) and l.from_type = ${from}
    and exists (select 1 from records t where ${isOf(scope, from, 't')} and t.id = l.from_id
      and t.deleted_at is null)`
}

/** Which related ids belong to which record, in their order. */
export type RelatedIds = ReadonlyMap<string, readonly string[]>

export type RelatedRows = {
  /** The records themselves, as of the snapshot in which the rest was read. */
  rows: readonly RecordRow[]
  /** By the name of the relation. */
  ids: Map<string, RelatedIds>
  users: readonly UserRow[]
  /** By type, in the order of their ids, in batches. */
  records: Map<ResourceName, Iterable<LightRow[]> | AsyncIterable<LightRow[]>>
  /** By the name of the attribute; a record without any is not in the map. */
  counts: Map<string, ReadonlyMap<string, number>>
  externalIds: readonly ExternalIdRow[]
}

type RelatedPart = { query: Sql<unknown>; take(rows: unknown[]): void }

/**
 * Loads everything that `include` requests, as of one snapshot: a fixed number of statements, however many records
 * there are.
 */
export async function loadIncluded(
  inside: Reader,
  wanted: {
    resource: Resource
    rows: readonly RecordRow[]
    relations: readonly Inclusion[]
    counts: readonly Count[]
    /** Whether the external ids of the records are wanted. */
    externalIds: boolean
  },
): Promise<RelatedRows> {
  const { resource, rows, relations, counts, externalIds } = wanted
  const loaded: RelatedRows = {
    rows,
    ids: new Map(),
    users: [],
    records: new Map(),
    counts: new Map(),
    externalIds: [],
  }
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return loaded
  const parts: RelatedPart[] = []
  // The rows of a part are those that its statement selects.
  const add = <Row>(query: Sql<Row>, take: (found: Row[]) => void) =>
    parts.push({ query, take: take as RelatedPart['take'] })
  const isSnapshot = seesSnapshot(inside)
  // Rows that were read earlier in a transaction may refer to a record that was deleted or restored since.
  if (!isSnapshot) {
    add(recordsAmong(inside, resource.type, ids), (found) => {
      loaded.rows = reread(rows, found)
    })
  }
  for (const included of relations) {
    if (included.relation.kind === 'reference') continue
    add(relatedPairs(inside, included, ids), (pairs) => loaded.ids.set(included.name, grouped(pairs)))
  }
  for (const count of counts) {
    add(relatedCounts(inside, { resource, count }, ids), (found) => loaded.counts.set(count.attribute, numbers(found)))
  }
  if (externalIds) {
    add(externalIdsAmong(inside, ids), (found) => {
      loaded.externalIds = found
    })
  }
  const byType = Map.groupBy(relations, ({ relation }) => relation.to)
  for (const [type, own] of isSnapshot ? [] : byType) {
    const shown = sql.union(own.map((included) => shownIds(inside, { resource, included }, ids)))
    if (type !== 'users') add(recordsIn(inside, type, shown), (found) => loaded.records.set(type, [found]))
    else
      add(membersIn(inside, shown), (found) => {
        loaded.users = found
      })
  }
  const results = await readAll(
    inside,
    parts.map(({ query }) => query),
  )
  for (const [index, { take }] of parts.entries()) take(results[index] ?? [])
  if (!isSnapshot) return loaded
  for (const [type, own] of byType) {
    const shown = idsShown(loaded, own)
    if (type === 'users') loaded.users = await loadMembers(inside, shown)
    else loaded.records.set(type, loadRecords(inside, type, shown))
  }
  return loaded
}

/** Whether every statement in this scope reads the same snapshot. */
function seesSnapshot({ inside, engine }: Reader): boolean {
  return inside === 'snapshot' || (inside === 'transaction' && !engine.concurrentWrites)
}

/**
 * Runs several selects on the same snapshot and returns the rows of each. In a transaction whose statements see later
 * commits, they are sent as one statement: each select becomes a column with its rows as JSON.
 */
async function readAll(inside: Reader, queries: readonly Sql<unknown>[]): Promise<unknown[][]> {
  if (seesSnapshot(inside)) {
    return Promise.all(queries.map((query) => query.all(inside.db)))
  }
  const columns = queries.map((query, index) => {
    return sql`(select coalesce(json_agg(q), '[]') from (${query}) q) as ${sql.raw(`part_${index}`)}`
  })
  const row = await sql<Record<string, unknown[]>>`select ${sql.join(columns)}`.one(inside.db)
  return queries.map((_, index) => row?.[`part_${index}`] ?? [])
}

/** A record that was deleted since is shown as it was found. */
function reread(rows: readonly RecordRow[], found: readonly RecordRow[]): RecordRow[] {
  const again = new Map(found.map((row) => [row.id, row]))
  return rows.map((row) => again.get(row.id) ?? row)
}

/** Each shown related id once. */
function idsShown({ rows, ids }: RelatedRows, relations: readonly Inclusion[]): string[] {
  const shown = new Set<string>()
  for (const { name, relation } of relations) {
    for (const row of rows) {
      const known = relation.kind === 'reference' ? referenceOf(row, relation.column) : undefined
      if (known) shown.add(known)
    }
    for (const list of ids.get(name)?.values() ?? []) for (const id of list.slice(0, INCLUDED_MAX)) shown.add(id)
  }
  return [...shown]
}

export function referenceOf(row: RecordRow, column: string): string | null | undefined {
  // The registry's references are columns of the row.
  return row[column as keyof RecordRow]
}

function grouped(pairs: readonly Pair[]): RelatedIds {
  const groups = Map.groupBy(pairs, (pair) => pair.from_id)
  return new Map([...groups].map(([id, own]) => [id, own.map((pair) => pair.to_id)]))
}

function numbers(counted: readonly RelatedCount[]): ReadonlyMap<string, number> {
  return new Map(counted.map((row) => [row.from_id, row.number]))
}
