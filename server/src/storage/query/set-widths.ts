import type { Condition } from '@kith/contract/filter'
import { ID_LENGTH } from '@kith/contract/id'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { RecordSet } from './sets.ts'

/** A condition and the set that an index offers for it. */
export type IndexedCondition = { condition: Condition; set: RecordSet }

/** How far sets are counted: `countable` applies to exact ranges of an index, which are the cheapest to count. */
type Bounds = { narrow: number; countable: number }

type Narrowest = IndexedCondition & { width: number }

/** The condition with the fewest matches, within the bounds. */
export async function findNarrowest(
  scope: Scope,
  indexed: readonly IndexedCondition[],
  bounds: Bounds,
): Promise<Narrowest | undefined> {
  const [only] = indexed
  if (!only) return undefined
  if (indexed.length > 1 || only.set.range) return countWidths(scope, indexed, bounds)
  const { width, entries } = await readEntries(scope, only.set, bounds.narrow)
  if (width > bounds.narrow) return undefined
  return { ...only, set: { ...only.set, select: entriesIn(scope, entries), inner: [] }, width }
}

type Entries = { width: number; entries: string | null }

/**
 * The entries of a set as one text, and their number: one more than the bound if the set or an inner set has more. A
 * search costs more than the entries that it finds, so that they are read once and then bound to the next statement.
 */
async function readEntries(scope: Scope, set: RecordSet, bound: number): Promise<Entries> {
  const limit = ifInnerNarrow(set, bound, { broad: sql`0`, narrow: sql`cast(${bound + 1} as integer)` })
  const entry = set.dated ? sql`record_id || created_at` : sql`record_id`
  const read = await sql<Entries>`with room as materialized (select ${limit} as entries)
    select case when (select entries from room) = 0 then ${bound + 1} else count(*) end as width,
      ${scope.engine.hints.list(sql`entry`)} as entries
    from (select ${entry} as entry from (${set.select}) s limit (select entries from room)) found`.one(scope.db)
  return read ?? { width: 0, entries: null }
}

function entriesIn(scope: Scope, entries: string | null): Sql<unknown> {
  const id = sql.lit(ID_LENGTH)
  return sql`select substr(value, 1, ${id}) as record_id, substr(value, ${id} + 1) as created_at
    from (${scope.engine.hints.listed(entries ?? '')}) listed`
}

/** One statement counts all sets in their indexes. */
async function countWidths(
  scope: Scope,
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
  const own = sql`(select count(*) from (select 1 from (${set.select}) s limit ${sql.unseen(bound + 1)}) bounded)`
  return ifInnerNarrow(set, bound, { broad: sql`${bound + 1}`, narrow: own })
}

type Either = { narrow: Sql<unknown>; broad: Sql<unknown> }

function ifInnerNarrow({ inner }: RecordSet, bound: number, { narrow, broad }: Either): Sql<unknown> {
  return inner.reduceRight(
    (otherwise, one) => sql`case when ${widthOf(one, bound)} > ${bound} then ${broad} else ${otherwise} end`,
    narrow,
  )
}
