import type { Condition } from '@kith/contract/filter'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import type { RecordSet } from './sets.ts'

/** A condition and the set that an index offers for it. */
export type IndexedCondition = { condition: Condition; set: RecordSet }

/** How far sets are counted: `countable` applies to exact ranges of an index, which are the cheapest to count. */
type Bounds = { narrow: number; countable: number }

type Narrowest = IndexedCondition & { width: number }

/** The condition with the fewest matches, within the bounds. One statement counts all sets in their indexes. */
export async function findNarrowest(
  scope: Scope,
  indexed: readonly IndexedCondition[],
  bounds: Bounds,
): Promise<Narrowest | undefined> {
  const [only] = indexed
  if (!only) return undefined
  const query: RawBuilder<Record<string, number>> =
    indexed.length === 1
      ? sql`select ${widthOf(only.set, boundOf(only.set, bounds))} as w0`
      : fewFirst(
          indexed.map(({ set }) => set),
          bounds,
        )
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
function fewFirst(sets: readonly RecordSet[], bounds: Bounds): RawBuilder<Record<string, number>> {
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

function column(letter: string, index: number): RawBuilder<unknown> {
  return sql.raw(`${letter}${index}`)
}

/**
 * How many records a set has, or one more than the bound if it or an inner set is larger. Inner sets are counted first:
 * an outer set is read only if its inner sets are narrow.
 */
function widthOf(set: RecordSet, bound: number): RawBuilder<unknown> {
  const own = sql`(select count(*) from (select 1 from (${set.select}) s limit ${sql.unseen(bound + 1)}) bounded)`
  return set.inner.reduceRight(
    (width, inner) => sql`case when ${widthOf(inner, bound)} > ${bound} then ${bound + 1} else ${width} end`,
    own,
  )
}
