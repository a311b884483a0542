import type { Place } from './order.ts'
import type { SummaryRow } from './summaries.ts'

/** A place in a list, and how many records stand before it. */
export type Milestone = { offset: number; place: Place }

/** What was found out about a filter while the workspace stood at a version. It holds until the next write, and no longer. */
export type Memory = {
  version: number
  total?: number
  /** Which of the filter's sets is narrow enough to begin with, or that none is. */
  start?: { index: number; width: number } | 'none'
  /** By the name of a sort, in ascending order. */
  milestones: Map<string, Milestone[]>
  /** By field and value, how many records have it: the stretches of a list in the order of the field. */
  sizes?: Map<string, number>
  /** By what was asked of the records that meet the filter. */
  summaries?: Map<string, readonly SummaryRow[]>
}

const FILTERS_KEPT = 2000
const MILESTONES_KEPT = 100

/** In the order of their last use, so that the first is the one to forget. Each thread has its own. */
const memories = new Map<string, Memory>()

/** What is known about a filter at this version of the workspace. */
export function memoryOf(filter: string, version: number): Memory {
  const known = memories.get(filter)
  const memory = known?.version === version ? known : { version, milestones: new Map() }
  memories.delete(filter)
  memories.set(filter, memory)
  if (memories.size > FILTERS_KEPT) {
    const oldest = memories.keys().next().value
    if (oldest !== undefined) memories.delete(oldest)
  }
  return memory
}

export function keepMilestone(memory: Memory, sort: string, milestone: Milestone): void {
  const kept = memory.milestones.get(sort) ?? []
  const at = kept.findIndex((one) => one.offset >= milestone.offset)
  if (at !== -1 && kept[at]?.offset === milestone.offset) return
  kept.splice(at === -1 ? kept.length : at, 0, milestone)
  if (kept.length > MILESTONES_KEPT) kept.splice(Math.floor(kept.length / 2), 1)
  memory.milestones.set(sort, kept)
}

/** The last milestone at or before an offset. */
export function milestoneBefore(memory: Memory, sort: string, offset: number): Milestone | undefined {
  return memory.milestones.get(sort)?.findLast((one) => one.offset <= offset)
}
