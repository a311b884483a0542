import type { Condition } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import type { Memory } from './memory.ts'
import { type RecordSet, setOf } from './sets.ts'
import { type RawBuilder, sql } from './sql.ts'

/** One of the conditions of a filter that must all hold, with the set that an index offers for it. */
export type Conjunct = { condition: Condition; set: RecordSet | undefined }

export type Settled = Conjunct & { set: RecordSet }

export function conjunctsOf(scope: Scope, resource: Resource, filter: Condition): Conjunct[] {
  return mergeRanges([filter]).map((condition) => ({ condition, set: setOf(scope, resource, condition) }))
}

/** The narrowest conjunct to start from, and how many records its set has. */
export type Start = { conjunct: Settled; width: number }

/**
 * Finds out whether one of the conjuncts is narrow, by counting in the indexes, each up to a bound. What is found
 * is remembered until the next write.
 */
export async function findStart(
  scope: Scope,
  conjuncts: readonly Conjunct[],
  memory: Memory,
  live: number,
): Promise<Start | undefined> {
  if (memory.start === 'none') return undefined
  const settled = conjuncts.flatMap(({ condition, set }) => (set ? [{ condition, set }] : []))
  const known = memory.start === undefined ? undefined : settled[memory.start.index]
  if (known && memory.start !== undefined) return { conjunct: known, width: memory.start.width }
  const bound = scope.engine.narrowMax(live)
  // With few matches in one of them, nobody needs to know how many the others have. Where asking is far, it is asked once.
  const few =
    scope.engine.remote || settled.length < 2 ? undefined : await narrowest(scope, settled, Math.min(FEW, bound))
  const best = few ?? (await narrowest(scope, settled, bound))
  memory.start = best ? { index: best.index, width: best.width } : 'none'
  const conjunct = best && settled[best.index]
  return best && conjunct && { conjunct, width: best.width }
}

/** Of so few, going through all of them costs less than counting another set. */
const FEW = 60

/** The narrowest of sets within a bound, found by one statement. */
async function narrowest(
  scope: Scope,
  settled: readonly Settled[],
  bound: number,
): Promise<{ index: number; width: number } | undefined> {
  if (settled.length === 0) return undefined
  const widths = settled.map(({ set }, index) => sql`${widthOf(set, bound)} as ${sql.raw(`w${index}`)}`)
  const { rows } = await sql<Record<string, number>>`select ${sql.join(widths)}`.execute(scope.db)
  let best: { index: number; width: number } | undefined
  settled.forEach((_, index) => {
    const width = rows[0]?.[`w${index}`] ?? 0
    if (width <= bound && (!best || width < best.width)) best = { index, width }
  })
  return best
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
