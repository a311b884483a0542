import { INCLUDED_MAX } from '@kith/contract/limits'
import type { Count, Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type ExternalIdRow, externalIdsAmong } from '../tables/external-ids.ts'
import type { LightRow, RecordRow } from '../tables/records.ts'
import {
  type Counted,
  type Included,
  loadMembers,
  loadRecords,
  membersIn,
  type Pair,
  recordsAmong,
  recordsIn,
  relatedCounts,
  relatedPairs,
  shownIds,
  type UserRow,
} from './related.ts'

/** Which related ids belong to which record, in their order. */
export type RelatedIds = ReadonlyMap<string, readonly string[]>

export type Wanted = {
  resource: Resource
  rows: readonly RecordRow[]
  relations: readonly Included[]
  counts: readonly Count[]
  /** Whether the external ids of the records are wanted. */
  externalIds: boolean
}

export type LoadedRelated = {
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

type Part = { query: Sql<unknown>; take(rows: unknown[]): void }

/**
 * Loads everything that `include` requests, as of one snapshot: a fixed number of statements, however many records
 * there are.
 */
export async function loadIncluded(inside: Scope, wanted: Wanted): Promise<LoadedRelated> {
  const { resource, rows, relations, counts, externalIds } = wanted
  const loaded: LoadedRelated = {
    ...{ rows, ids: new Map(), users: [], records: new Map(), counts: new Map() },
    externalIds: [],
  }
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return loaded
  const parts: Part[] = []
  // The rows of a part are what its statement selects.
  const add = <Row>(query: Sql<Row>, take: (found: Row[]) => void) => parts.push({ query, take: take as Part['take'] })
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
function seesSnapshot({ inside, engine }: Scope): boolean {
  return inside === 'snapshot' || (inside === 'transaction' && !engine.concurrentWrites)
}

/**
 * Runs several selects on the same snapshot and returns the rows of each. In a transaction whose statements see later
 * commits, they are sent as one statement: each select becomes a column with its rows as JSON.
 */
async function readAll(inside: Scope, queries: readonly Sql<unknown>[]): Promise<unknown[][]> {
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
function idsShown({ rows, ids }: LoadedRelated, relations: readonly Included[]): string[] {
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

function numbers(counted: readonly Counted[]): ReadonlyMap<string, number> {
  return new Map(counted.map((row) => [row.from_id, row.number]))
}
