import type { Condition } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { short } from '../engines/short.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import type { Memory } from './memory.ts'
import { type RecordSet, setOf } from './sets.ts'

/** One of the conditions of a filter that must all hold, with the set that an index offers for it. */
export type Conjunct = { condition: Condition; set: RecordSet | undefined }

export type Settled = Conjunct & { set: RecordSet }

export function conjunctsOf(scope: Scope, resource: Resource, filter: Condition): Conjunct[] {
  return mergeRanges([filter]).map((condition) => ({ condition, set: setOf(scope, resource, condition) }))
}

/** The narrowest conjunct to start from, and how many records its set has. */
export type Start = { conjunct: Settled; width: number }

/** How far sets are counted: those that are dated parts of an index further than others, where they are to be counted anyway. */
export type Bounds = { narrow: number; countable: number }

/**
 * Finds out which of the conjuncts is the narrowest, by counting in the indexes, each up to its bound. What is found
 * is remembered until the next write.
 */
export async function findStart(
  scope: Scope,
  conjuncts: readonly Conjunct[],
  memory: Memory,
  bounds: Bounds,
): Promise<Start | undefined> {
  if (memory.start === 'none') return undefined
  const settled = conjuncts.flatMap(({ condition, set }) => (set ? [{ condition, set }] : []))
  const known = memory.start === undefined ? undefined : settled[memory.start.index]
  if (known && memory.start !== undefined) return { conjunct: known, width: memory.start.width }
  const best = await narrowest(scope, settled, bounds)
  memory.start = best ?? 'none'
  const conjunct = best && settled[best.index]
  return best && conjunct && { conjunct, width: best.width }
}

/** Of so few, going through all of them costs less than counting another set. */
export const FEW = 60

/** The narrowest of sets within their bounds, found by one statement. With few matches in one of them, it does not count how many the others have. */
async function narrowest(
  scope: Scope,
  settled: readonly Settled[],
  bounds: Bounds,
): Promise<{ index: number; width: number } | undefined> {
  if (settled.length === 0) return undefined
  const counted = settled.map(({ set }, index) => sql`${widthOf(set, boundOf(set, bounds))} as ${column('w', index)}`)
  const query = settled.length === 1 ? sql`select ${sql.join(counted)}` : fewFirst(settled, bounds)
  const db = settled.every(({ set }) => set.plain) ? short(scope.db) : scope.db
  // The statement returns one row of numbers.
  const [row] = (await query.execute(db)).rows as Record<string, number>[]
  let best: { index: number; width: number } | undefined
  settled.forEach(({ set }, index) => {
    const width = row?.[`w${index}`] ?? 0
    if (width <= boundOf(set, bounds) && (!best || width < best.width)) best = { index, width }
  })
  return best
}

function boundOf({ exact, dated, plain }: RecordSet, { narrow, countable }: Bounds): number {
  return exact && dated && plain ? countable : narrow
}

function fewFirst(settled: readonly Settled[], bounds: Bounds): RawBuilder<unknown> {
  const few = settled.map(({ set }, index) => sql`${widthOf(set, FEW)} as ${column('f', index)}`)
  const isFew = sql.join(
    settled.map((_, index) => sql`${column('f', index)} <= ${FEW}`),
    sql` or `,
  )
  const widths = settled.map(({ set }, index) => {
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
 * How many records a set has, or one more than the bound where it or one within it goes beyond. From the inside out: a set is asked
 * for only where those within it are narrow.
 */
export function widthOf(set: RecordSet, bound: number): RawBuilder<unknown> {
  const own = boundedCount(set, bound)
  return set.within.reduceRight(
    (width, inner) => sql`case when ${widthOf(inner, bound)} > ${bound} then ${bound + 1} else ${width} end`,
    own,
  )
}

function boundedCount({ select }: RecordSet, bound: number): RawBuilder<unknown> {
  return sql`(select count(*) from (select 1 from (${select}) s limit ${sql.unseen(bound + 1)}) bounded)`
}
