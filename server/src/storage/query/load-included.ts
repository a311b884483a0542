import { INCLUDED_MAX } from '@kith/contract/limits'
import type { Count, Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import type { LightRow, RecordRow } from '../tables/records.ts'
import { readTogether, seesOneMoment } from './read-together.ts'
import { loadRecords, membersAmong, membersIn, recordsAmong, recordsIn, type UserRow } from './related.ts'
import { type Counted, type Included, type Pair, relatedCounts, relatedPairs, shownIds } from './related-ids.ts'

/** Which related ids belong to which record, in their order. */
export type RelatedIds = ReadonlyMap<string, readonly string[]>

export type Wanted = {
  resource: Resource
  rows: readonly RecordRow[]
  relations: readonly Included[]
  counts: readonly Count[]
}

export type LoadedRelated = {
  /** The records themselves, as of the moment at which the rest was read. */
  rows: readonly RecordRow[]
  /** By the name of the relation. */
  ids: Map<string, RelatedIds>
  users: readonly UserRow[]
  /** By type, in the order of their ids, some at a time. */
  records: Map<ResourceName, Iterable<LightRow[]> | AsyncIterable<LightRow[]>>
  /** By the name of the attribute; a record without any is not in the map. */
  counts: Map<string, ReadonlyMap<string, number>>
}

type Question = { query: RawBuilder<unknown>; take(rows: unknown[]): void }

/** Loads all that `include` asks for, as of one moment: a fixed number of statements, however many records there are. */
export async function loadIncluded(inside: Scope, wanted: Wanted): Promise<LoadedRelated> {
  const { resource, rows, relations, counts } = wanted
  const loaded: LoadedRelated = { rows, ids: new Map(), users: [], records: new Map(), counts: new Map() }
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return loaded
  const questions: Question[] = []
  // The rows of a question are what its statement selects, here and below.
  const ask = <Row>(query: RawBuilder<Row>, take: (found: Row[]) => void) =>
    questions.push({ query, take: take as Question['take'] })
  // What was read or written earlier in a transaction may refer to a record that was deleted or restored since.
  if (!seesOneMoment(inside)) {
    ask(recordsAmong(inside, resource.type, ids), (found) => {
      loaded.rows = reread(rows, found)
    })
  }
  for (const included of relations) {
    if (included.relation.kind === 'reference') continue
    ask(relatedPairs(inside, included, ids), (pairs) => loaded.ids.set(included.name, grouped(pairs)))
  }
  for (const count of counts) {
    ask(relatedCounts(inside, { resource, count }, ids), (found) => loaded.counts.set(count.attribute, numbers(found)))
  }
  const askUsers = (own: readonly Included[]) => {
    const among = idsAmong(inside, { resource, rows, relations: own })
    if (Array.isArray(among) && among.length === 0) return
    ask(Array.isArray(among) ? membersAmong(inside, among) : membersIn(inside, among), (found) => {
      loaded.users = found
    })
  }
  for (const [type, own] of Map.groupBy(relations, ({ relation }) => relation.to)) {
    if (type === 'users') askUsers(own)
    // All at once, where each statement sees another moment.
    else if (!seesOneMoment(inside)) {
      const shown = own.map((included) => shownIds(inside, { resource, included }, ids))
      ask(recordsIn(inside, type, sql.join(shown, sql` union all `)), (found) => loaded.records.set(type, [found]))
    }
  }
  const answers = await readTogether(
    inside,
    questions.map(({ query }) => query),
  )
  for (const [index, { take }] of questions.entries()) take(answers[index] ?? [])
  if (!seesOneMoment(inside)) return loaded
  for (const [type, own] of Map.groupBy(relations, ({ relation }) => relation.to)) {
    if (type !== 'users') loaded.records.set(type, loadRecords(inside, type, idsShown(loaded, own)))
  }
  return loaded
}

/** A record that was deleted since is shown as it was found. */
function reread(rows: readonly RecordRow[], found: readonly RecordRow[]): RecordRow[] {
  const again = new Map(found.map((row) => [row.id, row]))
  return rows.map((row) => again.get(row.id) ?? row)
}

/** Each related id once, as far as it is shown. */
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

/** The ids of related members: themselves where the rows tell them, else a select of them. */
function idsAmong(
  inside: Scope,
  { resource, rows, relations }: Omit<Wanted, 'counts'>,
): string[] | RawBuilder<unknown> {
  const ids = rows.map((row) => row.id)
  const known = new Set<string>()
  const selects: RawBuilder<unknown>[] = []
  for (const included of relations) {
    const { relation } = included
    if (relation.kind === 'reference' && seesOneMoment(inside)) {
      for (const row of rows) {
        const id = referenceOf(row, relation.column)
        if (id) known.add(id)
      }
    } else selects.push(shownIds(inside, { resource, included }, ids))
  }
  if (selects.length === 0) return [...known]
  return sql.join([...selects, ...[...known].map((id) => sql`select ${id} as record_id`)], sql` union all `)
}

export function referenceOf(row: RecordRow, column: string): string | null | undefined {
  // The registry's references are columns of the row.
  return row[column as keyof RecordRow]
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

function numbers(counted: readonly Counted[]): ReadonlyMap<string, number> {
  return new Map(counted.map((row) => [row.from_id, row.number]))
}
