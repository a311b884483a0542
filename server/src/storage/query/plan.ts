import { type Condition, mergeRanges } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import type { Resource } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isOf } from '../tables/numbers.ts'
import { hasKey, type Keys, liveRows, liveRowsIn } from './order.ts'
import { compileAll, compileFilter, needsEntryOnly } from './predicates.ts'
import { type RecordSet, setOf } from './sets.ts'

/** One of the conditions of a filter that must all hold, and the set that an index offers for it. */
type Conjunct = { condition: Condition; set: RecordSet | undefined }

export function conjunctsOf(scope: Reader, resource: Resource, filter: Condition): Conjunct[] {
  return mergeRanges([filter]).map((condition) => ({ condition, set: setOf(scope, resource, condition) }))
}

/**
 * How the records of a list are read: `with …` in front of the statement, and `from … where …` with `r0` for the
 * record.
 */
export type Plan = {
  with: Sql<unknown>
  from: Sql<unknown>
  /** Whether it starts with a set that is read as a whole. */
  narrow: boolean
  /** Whether its set, `matching`, has just the records of the plan, each once and with `created_at`. */
  dated?: boolean
  /** The order of the list in columns of an index that has this order. */
  order?: Sql<unknown>
  /** How many records there are, if the plan has counted them. */
  total?: number
}

type PlanInput = {
  filter?: Condition
  sort: readonly SortKey[]
  live: number
  backwards?: boolean
  /** Whether the total is needed, too. */
  counting?: boolean
  /** Whether all records are read, and not only a page. */
  whole?: boolean
}

/**
 * Chooses how to read a list: all records, the records of a narrow set, or a scan in the order of the list that checks
 * the filter on each record.
 */
export async function planList(scope: Reader, resource: Resource, planned: PlanInput): Promise<Plan> {
  const { filter, live, counting = false, whole = false } = planned
  if (!filter) return wholeList(scope, resource)
  const conjuncts = conjunctsOf(scope, resource, filter)
  const narrow = scope.engine.narrowMax(live)
  // A total has to read the whole set anyway, so that the page comes with it.
  const counted = counting && conjuncts.length > 1 ? Math.max(narrow, scope.engine.countedMax(live)) : narrow
  // No scan of all records takes less time than a range of an index.
  const countable = whole ? live : counted
  const indexed = conjuncts.flatMap(({ condition, set }) => (set ? [{ condition, set }] : []))
  const first = await findNarrowest(scope, indexed, { narrow, countable })
  if (!first) return scan(scope, resource, { ...planned, filter, conjuncts })
  const others = conjuncts.flatMap(({ condition }) => (condition === first.condition ? [] : [condition]))
  const total = others.length === 0 && first.set.exact ? first.width : undefined
  return { ...narrowSet(scope, resource, { first, others }), total }
}

/** All records of a resource. */
export function wholeList(scope: Reader, resource: Resource): Plan {
  return { with: sql``, from: liveRows(scope, resource.type, 0), narrow: false }
}

/** The records of a set, on which the other conditions are checked. */
function narrowSet(
  scope: Reader,
  resource: Resource,
  { first: { set, condition }, others }: { first: IndexedCondition; others: readonly Condition[] },
): Plan {
  const checked = set.exact ? others : [condition, ...others]
  // What an entry of the index is enough for is checked before the records are read.
  const early = set.exact && set.dated ? checked.filter(needsEntryOnly) : []
  const late = checked.filter((one) => !early.includes(one))
  const entries = sql`select r0.number as record, r0.created_at
    from (select record as number, created_at from (${set.select}) s) r0 where ${compileAll(scope, early)}`
  const dated = set.exact && set.dated && late.length === 0
  const matching = early.length === 0 && !dated ? set.select : entries
  return {
    with: sql`with matching as materialized (${dated ? entries : scope.engine.hints.distinctRecords(matching)})`,
    from: sql`${liveRowsIn(scope, resource.type, sql`matching`)} and ${compileAll(scope, late)}`,
    narrow: true,
    dated,
  }
}

/** A scan of the list, or of the entries of one match key, which the index has in the order of `-created_at`. */
function scan(
  scope: Reader,
  resource: Resource,
  { filter, conjuncts, sort, backwards = false }: PlanInput & { filter: Condition; conjuncts: readonly Conjunct[] },
): Plan {
  const [key] = sort
  const newestFirst = sort.length === 1 && key?.by === 'attribute' && key.name === 'created_at' && key.descending
  const leader = newestFirst && !backwards ? conjuncts.find(({ condition }) => singleKey(condition)) : undefined
  const single = leader && singleKey(leader.condition)
  if (!single) {
    const from = sql`${liveRows(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
    return { with: sql``, from, narrow: false }
  }
  const others = conjuncts.flatMap((one) => (one === leader ? [] : [one.condition]))
  return {
    with: sql``,
    from: sql`from field_values v cross join records r0
      where v.workspace = ${scope.workspace.number} and v.field = ${single.field} and ${hasKey(single)}
      and ${isOf(scope, resource.type, 'r0')} and r0.number = v.record and r0.deleted_at is null
      and ${compileAll(scope, others)}`,
    order: sql`v.created_at desc, r0.id`,
    narrow: false,
  }
}

/** The only match key of a custom field that meets a condition. */
function singleKey(condition: Condition): (Keys & { field: number }) | undefined {
  if (condition.node !== 'field') return undefined
  const { field, test } = condition
  if (test.test === 'exact') return { field: field.number, keys: [test.key], texts: [test.text] }
  return test.test === 'any' && test.keys.length === 1 ? { ...test, field: field.number } : undefined
}

/** A condition and the set that an index offers for it. */
type IndexedCondition = { condition: Condition; set: RecordSet }

/** How far sets are counted: `countable` applies to exact ranges of an index, which are the cheapest to count. */
type Bounds = { narrow: number; countable: number }

type Narrowest = IndexedCondition & { width: number }

/** The condition with the fewest matches, within the bounds. */
async function findNarrowest(
  scope: Reader,
  indexed: readonly IndexedCondition[],
  bounds: Bounds,
): Promise<Narrowest | undefined> {
  const [only] = indexed
  if (!only) return undefined
  if (indexed.length > 1 || only.set.range) return countWidths(scope, indexed, bounds)
  const { width, entries } = await readEntries(scope, only.set, bounds.narrow)
  if (width > bounds.narrow) return undefined
  return { ...only, set: { ...only.set, select: entriesIn(scope, only.set, entries), inner: [] }, width }
}

type Entries = { width: number; entries: string | null }

/**
 * The entries of a set as one text, and their number: one more than the bound if the set or an inner set has more. A
 * search costs more than the entries that it finds, so that they are read once and then bound to the next statement.
 */
async function readEntries(scope: Reader, set: RecordSet, bound: number): Promise<Entries> {
  const limit = ifInnerNarrow(set, bound, { broad: sql`0`, narrow: sql`cast(${bound + 1} as integer)` })
  const entry = set.dated ? sql`created_at || record` : sql`cast(record as text)`
  const read = await sql<Entries>`with room as materialized (select ${limit} as entries)
    select case when (select entries from room) = 0 then ${bound + 1} else count(*) end as width,
      ${scope.engine.hints.list(sql`entry`)} as entries
    from (select ${entry} as entry from (${set.select}) s limit (select entries from room)) found`.one(scope.db)
  return read ?? { width: 0, entries: null }
}

/** The length of a time. */
const TIME = sql.lit('2026-01-01T00:00:00.000Z'.length)

function entriesIn(scope: Reader, { dated }: RecordSet, entries: string | null): Sql<unknown> {
  const listed = scope.engine.hints.listed(entries ?? '')
  return dated
    ? sql`select cast(substr(value, ${TIME} + 1) as bigint) as record, substr(value, 1, ${TIME}) as created_at
        from (${listed}) listed`
    : sql`select cast(value as bigint) as record from (${listed}) listed`
}

/** One statement counts all sets in their indexes. */
async function countWidths(
  scope: Reader,
  indexed: readonly IndexedCondition[],
  bounds: Bounds,
): Promise<Narrowest | undefined> {
  const sets = indexed.map(({ set }) => set)
  const [only, ...others] = sets
  const query: Sql<Record<string, number>> =
    only && others.length === 0 ? sql`select ${widthOf(only, boundOf(only, bounds))} as w0` : fewFirst(sets, bounds)
  const row = await query.one(scope.db)
  const counted = indexed.map((one, index) => ({ ...one, width: row?.[`w${index}`] ?? 0 }))
  const within = counted.filter(({ set, width }) => width <= boundOf(set, bounds))
  return within.reduce<Narrowest | undefined>((best, one) => (best && best.width <= one.width ? best : one), undefined)
}

function boundOf({ exact, range }: RecordSet, { narrow, countable }: Bounds): number {
  return exact && range ? countable : narrow
}

/** Reading all of so few records costs less than counting another set up to its bound. */
const FEW = 60

/** If a set has few matches, the others are not counted any further. */
function fewFirst(sets: readonly RecordSet[], bounds: Bounds): Sql<Record<string, number>> {
  const few = sets.map((set, index) => sql`${widthOf(set, FEW)} as ${column('f', index)}`)
  const isFew = sql.join(
    sets.map((_, index) => sql`${column('f', index)} <= ${FEW}`),
    sql` or `,
  )
  const widths = sets.map((set, index) => {
    const f = column('f', index)
    const bound = boundOf(set, bounds)
    const known = sql`case when ${f} <= ${FEW} then ${f} else ${bound + 1} end`
    return sql`case when ${isFew} then ${known} else ${widthOf(set, bound)} end as ${column('w', index)}`
  })
  return sql`with few as materialized (select ${sql.join(few)}) select ${sql.join(widths)} from few`
}

function column(letter: string, index: number): Sql<unknown> {
  return sql.raw(`${letter}${index}`)
}

/**
 * How many records a set has, or one more than the bound if it or an inner set is larger. Inner sets are counted first:
 * an outer set is read only if its inner sets are narrow.
 */
function widthOf(set: RecordSet, bound: number): Sql<unknown> {
  const own = sql`(select count(*) from (select 1 from (${set.size ?? set.select}) s limit ${sql.unseen(bound + 1)}) bounded)`
  return ifInnerNarrow(set, bound, { broad: sql`${bound + 1}`, narrow: own })
}

function ifInnerNarrow(
  { inner }: RecordSet,
  bound: number,
  { narrow, broad }: { narrow: Sql<unknown>; broad: Sql<unknown> },
): Sql<unknown> {
  return inner.reduceRight(
    (otherwise, one) => sql`case when ${widthOf(one, bound)} > ${bound} then ${broad} else ${otherwise} end`,
    narrow,
  )
}
