import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../scope.ts'
import type { Memory } from './memory.ts'
import { type RecordSet, setOf } from './sets.ts'

/** A filter as conditions that must all hold, with the sets that indexes offer for some of them. */
export type Conjunct = { condition: Condition; set: RecordSet | undefined }

export function conjunctsOf(scope: Scope, resource: Resource, filter: Condition): Conjunct[] {
  const conditions = filter.node === 'and' ? filter.conditions : [filter]
  return conditions.map((condition) => ({ condition, set: setOf(scope, resource, condition) }))
}

/** The narrowest conjunct to start from, and how many records its set has. */
export type Start = { conjunct: Conjunct & { set: RecordSet }; width: number }

type Measured = { candidate: Conjunct & { set: RecordSet }; parts: readonly RecordSet[] }

/**
 * Finds out whether one of the conjuncts is narrow, by counting in the indexes, each up to a bound: the cost is
 * the same however many records there are. What is found is remembered until the next write.
 */
export async function findStart(
  scope: Scope,
  conjuncts: readonly Conjunct[],
  memory: Memory,
): Promise<Start | undefined> {
  if (memory.narrow === false) return undefined
  const measured: Measured[] = []
  for (const { condition, set } of conjuncts) {
    if (set) measured.push({ candidate: { condition, set }, parts: [...innerSets(set), set] })
  }
  const start = measured.length === 0 ? undefined : await measure(scope, measured)
  memory.narrow = start !== undefined
  return start
}

/** From the inside out: a set is asked for only where those within it are narrow. */
function innerSets(set: RecordSet): RecordSet[] {
  return set.within.flatMap((one) => [...innerSets(one), one])
}

async function measure(scope: Scope, measured: readonly Measured[]): Promise<Start | undefined> {
  const widths = await Promise.all(measured.map(({ parts }) => widthOf(scope, parts)))
  let best: Start | undefined
  measured.forEach(({ candidate }, index) => {
    const width = widths[index]
    if (width !== undefined && (!best || width < best.width)) best = { conjunct: candidate, width }
  })
  return best
}

/** The bounded size of the last set, or undefined when it or one within it goes beyond the bound. */
async function widthOf(scope: Scope, parts: readonly RecordSet[]): Promise<number | undefined> {
  let width: number | undefined
  for (const part of parts) {
    width = await boundedCount(scope, part.select)
    if (width > scope.engine.narrowMax) return undefined
  }
  return width
}

async function boundedCount(scope: Scope, select: RawBuilder<unknown>): Promise<number> {
  const query = sql<{
    width: number
  }>`select count(*) as width from (select 1 from (${select}) s limit ${scope.engine.narrowMax + 1}) bounded`
  const { rows } = await query.execute(scope.db.query)
  return rows[0]?.width ?? 0
}
