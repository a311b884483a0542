import type { Engine } from '../engines/engine.ts'
import type { SummaryRow } from './summaries.ts'

/**
 * What was found out about a filter while the workspace was at a version. It is true for that version only: the version must be read in the same snapshot as
 * everything that it is used with.
 */
export type Memory = {
  version: number
  total?: number
  /** While the total is being counted: whoever wants to know meanwhile waits for the same. */
  counting?: Promise<number>
  /** Which of the filter's sets is narrow enough to begin with, or that none is. */
  start?: { index: number; width: number } | 'none'
  /** By field and value, how many records have it: the stretches of a list in the order of the field. */
  sizes?: Map<string, number>
  /** By what was asked of the records that meet the filter. */
  summaries?: Map<string, readonly SummaryRow[]>
}

const FILTERS_KEPT = 2000

/**
 * In the order of their last use, so that the first is the one to forget. Each thread has its own, and so has each engine: a replica may show two
 * concurrent writes in another order than its primary, under the same version.
 */
const memories = new WeakMap<Engine, Map<string, Memory>>()

/** What is known about a filter at this version of the workspace. */
export function memoryOf(engine: Engine, filter: string, version: number): Memory {
  const kept = memories.get(engine) ?? new Map<string, Memory>()
  memories.set(engine, kept)
  const known = kept.get(filter)
  const memory = known?.version === version ? known : { version }
  kept.delete(filter)
  kept.set(filter, memory)
  if (kept.size > FILTERS_KEPT) {
    const oldest = kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
  }
  return memory
}

export function countOnce(memory: Memory, count: () => Promise<number>): Promise<number> {
  memory.counting ??= count().finally(() => {
    memory.counting = undefined
  })
  return memory.counting
}
