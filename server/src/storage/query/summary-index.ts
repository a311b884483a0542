import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { isToMany, type Resource } from '@kith/contract/resource'
import type { Group, Property, SummaryQuery } from '@kith/contract/summary'
import { addTo, newSum, type Sum, textOf } from '../engines/decimal-sum.ts'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnOf, isOf } from '../tables/numbers.ts'
import { loadLiveCount } from '../tables/records.ts'
import { keyWithin, type Periods } from './periods.ts'
import { groupValues } from './property-values.ts'

type IndexQuery = Pick<SummaryQuery, 'filter' | 'groups' | 'field' | 'measure'> & {
  periods: readonly (Periods | null | undefined)[]
}

/** Entries of an index: at most one for each record. `toKey`: the key of the group, if the entry has another one. */
type Source = {
  from: Sql<unknown>
  record: Sql<unknown>
  key: Sql<unknown>
  toKey?: (key: Sql<unknown>) => Sql<unknown>
  periods?: Periods | undefined
}

/** With more records, their numbers would take too much memory, and time of the event loop if a server has them. */
const RECORDS_MAX = { local: 1_000_000, remote: 200_000 }

/**
 * The groups of all records (`k0`, `k1`, `count`, `part`, `held`) from the index entries of their keys and values
 * alone, or undefined if there are none, or too many. A database has no fast join of 100,000 entries by their records:
 * SQLite looks up each of them. So it lists the records of each key, and the lists are joined here, which takes a third
 * of the time.
 */
export async function groupsInIndex(
  scope: Reader,
  resource: Resource,
  asked: IndexQuery,
): Promise<Sql<unknown> | undefined> {
  const sources = sourcesOf(scope, asked)
  if (!sources || sources.length === 0) return undefined
  const live = await loadLiveCount(scope, resource.type)
  const [only] = sources
  if (sources.length === 1 && asked.groups.length === 1 && only) return countedKeys(only, live)
  if (live > (scope.engine.remote ? RECORDS_MAX.remote : RECORDS_MAX.local)) return undefined
  const lists: Listed[] = []
  for (const source of sources) lists.push(await loadListed(scope, source))
  const keys = asked.groups.map((_, index) => lists[index]?.keys ?? [])
  const groups = joined(lists, asked, live).map(({ codes, count, part, held }) => {
    return [...[0, 1].map((index) => keys[index]?.[codes[index] ?? NONE] ?? null), count, part, held]
  })
  return typedRows(scope, asked, groups)
}

function sourcesOf(scope: Reader, { filter, groups, field, measure, periods }: IndexQuery): Source[] | undefined {
  if (filter || measure === 'distinct' || periods.includes(null)) return undefined
  const sources = groups.map((group, index) => groupEntries(scope, group, periods[index] ?? undefined))
  if (field) sources.push(entriesOf(scope, field.property))
  return sources.every((source) => source !== undefined) ? sources : undefined
}

function groupEntries(scope: Reader, { property, through }: Group, periods: Periods | undefined): Source | undefined {
  if (!through) {
    const own = entriesOf(scope, property)
    return own && { ...own, periods }
  }
  const source = entriesOf(scope, through)
  const there = groupValues(scope, { property }, { alias: 't', number: 't', keyOf: keyWithin(periods) })
  if (!source || there.many) return undefined
  const toKey = (id: Sql<unknown>) => sql`(select ${there.value} from records t ${there.join}
    where ${isOf(scope, through.relation.to, 't')} and t.id = ${id} and t.deleted_at is null)`
  return { ...source, toKey }
}

function entriesOf(scope: Reader, property: Property): Source | undefined {
  if (property.of === 'field') {
    const { list, valueKey } = fieldTypes[property.field.type]
    return list || !valueKey ? undefined : valueEntries(scope, property.field, valueKey)
  }
  if (property.of === 'attribute') {
    return property.kind === 'time' ? columnEntries(scope, property.resource, columnOf(property.name)) : undefined
  }
  const { relation, resource } = property
  if (isToMany(relation) || relation.kind === 'linked') return undefined
  const entries =
    relation.kind === 'field'
      ? valueEntries(scope, relation.field, 'match_key')
      : columnEntries(scope, resource, relation.column)
  // The id of a member or live record.
  const toKey = (id: Sql<unknown>) =>
    relation.to === 'users'
      ? sql`(select m.user_id from members m where m.workspace_id = ${scope.workspace.id} and m.user_id = ${id})`
      : sql`(select t.id from records t where ${isOf(scope, relation.to, 't')} and t.id = ${id}
          and t.deleted_at is null)`
  return { ...entries, toKey }
}

function valueEntries(
  { workspace, engine }: Reader,
  { number }: FieldDefinition,
  column: 'match_key' | 'number_key',
): Source {
  const key = sql.ref(`e.${column}`)
  const from = sql`from field_values e where e.workspace = ${workspace.number} and e.field = ${number}
    and ${key} is not null ${engine.hints.andInTime('e.record')}`
  return { from, record: sql`e.record`, key }
}

function columnEntries(scope: Reader, { type }: Resource, column: string): Source {
  const key = sql.ref(`e.${column}`)
  const from = sql`from records e where ${isOf(scope, type, 'e')} and e.deleted_at is null
    and ${key} is not null ${scope.engine.hints.andInTime('e.number')}`
  return { from, record: sql`e.number`, key }
}

/** Selects each key, and `found` of its entries. A key may come several times. */
function byKey({ from, key, toKey, periods }: Source, found: Sql<unknown>): Sql<unknown> {
  if (periods) {
    // A range of the index for each period.
    const ranges = periods.starts.map(({ from, period }, index) => {
      return sql`(${sql.lit(period)}, ${from}, ${periods.starts[index + 1]?.from ?? END})`
    })
    return sql`select s.column1 as key, (select ${found} ${from} and ${key} >= s.column2 and ${key} < s.column3) as found
      from (values ${sql.join(ranges)}) s`
  }
  const all = sql`select ${key} as key, ${found} as found ${from} group by ${key}`
  return toKey ? sql`select ${toKey(sql`a.key`)} as key, a.found from (${all}) a` : all
}

/** After all dates and times. */
const END = '~'

/** The number of records of each key, and of those without any. */
function countedKeys(source: Source, live: number): Sql<unknown> {
  return sql`
    with counted as materialized (${byKey(source, sql`count(*)`)})
    select c.key as k0, cast(null as text) as k1, sum(c.found) as count, 0 as part, 0 as held
    from (select key, found from counted
      union all select null, ${live} - (select coalesce(sum(found), 0) from counted)) c
    where c.found > 0 group by c.key`
}

/** The keys of a source, and each of its records with the place of its key, in order of the records. */
type Listed = { keys: readonly (string | number)[]; entries: Float64Array }

/** An entry is a record and the place of its key in one number. */
const KEYS = 2 ** 21

async function loadListed(scope: Reader, source: Source): Promise<Listed> {
  const query = byKey(source, scope.engine.hints.numbers(source.record))
  const rows = await sql<{ key: string | number | null; found: string | null }>`${query}`.all(scope.db)
  const places = new Map<string | number, number>()
  const lists: { place: number; records: number[] }[] = []
  for (const { key, found } of rows) {
    if (key === null || found === null) continue
    const place = places.getOrInsertComputed(key, () => places.size)
    // The database has made a list of numbers.
    lists.push({ place, records: JSON.parse(found) as number[] })
  }
  const entries = new Float64Array(lists.reduce((sum, { records }) => sum + records.length, 0))
  let next = 0
  for (const { place, records } of lists) for (const record of records) entries[next++] = record * KEYS + place
  return { keys: [...places.keys()], entries: entries.sort() }
}

type Joined = { codes: readonly number[]; count: number; part: string | null; held: number }

type Collected = Joined & { sum: Sum; end: string | number | null }

/** The place of the key of a record that has none. */
const NONE = -1

/** Joins the sources by record. The last one has the values if there is a measure. */
function joined(lists: readonly Listed[], { groups, measure, field }: IndexQuery, live: number): Joined[] {
  const found = new Map<number, Collected>()
  const values = field ? lists.at(-1)?.keys : undefined
  const collect = (codes: readonly number[], count = 1) => {
    const one = groups.length > 0 ? (codes[0] ?? NONE) : NONE
    const two = groups.length > 1 ? (codes[1] ?? NONE) : NONE
    const group = found.getOrInsertComputed((one + 1) * KEYS + two + 1, () => {
      return { codes: [one, two], count: 0, part: null, held: 0, sum: newSum(), end: null }
    })
    group.count += count
    const value = values?.[codes[lists.length - 1] ?? NONE]
    if (value === undefined) return
    group.held++
    if (measure === 'sum' || measure === 'average') addTo(group.sum, value)
    else if (measure === 'smallest') group.end = group.end === null || value < group.end ? value : group.end
    else if (measure === 'largest') group.end = group.end === null || value > group.end ? value : group.end
  }
  const met = eachRecord(lists, collect)
  if (live > met) collect([], live - met)
  for (const group of found.values()) {
    group.part = measure === 'filled' ? String(group.held) : group.end === null ? textOf(group.sum) : String(group.end)
  }
  return [...found.values()]
}

/** Calls for each record with the places of its keys. Returns how many records there are. */
function eachRecord(lists: readonly Listed[], take: (codes: readonly number[]) => void): number {
  const next = lists.map(() => 0)
  const records = lists.map(() => 0)
  const codes = lists.map(() => NONE)
  const headOf = (index: number) => lists[index]?.entries[next[index] ?? 0] ?? Number.POSITIVE_INFINITY
  for (let count = 0; ; count++) {
    let record = Number.POSITIVE_INFINITY
    for (let index = 0; index < lists.length; index++) {
      const own = Math.floor(headOf(index) / KEYS)
      records[index] = own
      if (own < record) record = own
    }
    if (record === Number.POSITIVE_INFINITY) return count
    for (let index = 0; index < lists.length; index++) {
      if (records[index] !== record) codes[index] = NONE
      else {
        codes[index] = headOf(index) - record * KEYS
        next[index] = (next[index] ?? 0) + 1
      }
    }
    take(codes)
  }
}

/** The groups as rows of a statement. */
function typedRows(scope: Reader, { field, measure, periods }: IndexQuery, groups: readonly unknown[]): Sql<unknown> {
  const rows = scope.engine.hints.rows(JSON.stringify(groups), ['k0', 'k1', 'count', 'part', 'held'])
  const [k0, k1] = [0, 1].map((index) => {
    const key = sql.ref(`g.k${index}`)
    return periods[index] ? sql`cast(${key} as integer)` : key
  })
  const isNumber = field?.property.of === 'field' && fieldTypes[field.property.field.type].decimals !== undefined
  const isEnd = measure === 'smallest' || measure === 'largest'
  const part =
    measure === 'count' || measure === 'filled'
      ? sql`cast(g.part as integer)`
      : isEnd && isNumber
        ? scope.engine.decimals.number(sql`g.part`)
        : sql`g.part`
  return sql`select ${k0} as k0, ${k1} as k1, cast(g.count as integer) as count, ${part} as part,
    cast(g.held as integer) as held from (${rows}) g`
}
