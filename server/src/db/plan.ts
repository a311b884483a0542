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
  const best = await narrowest(scope, settled, scope.engine.narrowMax(live))
  memory.start = best ? { index: best.index, width: best.width } : 'none'
  const conjunct = best && settled[best.index]
  return best && conjunct && { conjunct, width: best.width }
}

/** The narrowest of sets within a bound. */
export async function narrowest(
  scope: Scope,
  settled: readonly Settled[],
  bound: number,
): Promise<{ index: number; width: number } | undefined> {
  const widths = await Promise.all(settled.map(({ set }) => widthOf(scope, [...innerSets(set), set], bound)))
  let best: { index: number; width: number } | undefined
  widths.forEach((width, index) => {
    if (width !== undefined && (!best || width < best.width)) best = { index, width }
  })
  return best
}

/** From the inside out: a set is asked for only where those within it are narrow. */
function innerSets(set: RecordSet): RecordSet[] {
  return set.within.flatMap((one) => [...innerSets(one), one])
}

/** The size of the last set, or undefined when it or one within it goes beyond the bound. */
async function widthOf(scope: Scope, parts: readonly RecordSet[], bound: number): Promise<number | undefined> {
  let width: number | undefined
  for (const part of parts) {
    width = await boundedCount(scope, part.select, bound)
    if (width > bound) return undefined
  }
  return width
}

async function boundedCount(scope: Scope, select: RawBuilder<unknown>, bound: number): Promise<number> {
  const query = sql<{ width: number }>`
    select count(*) as width from (select 1 from (${select}) s limit ${sql.unseen(bound + 1)}) bounded`
  const { rows } = await query.execute(scope.db)
  return rows[0]?.width ?? 0
}
