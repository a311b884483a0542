import type { Place } from './order.ts'
import type { SummaryRow } from './summaries.ts'

/** A place in a list, and how many records stand before it. */
export type Milestone = { offset: number; place: Place }

/** What was found out about a filter while the workspace stood at a version. It holds until the next write, and no longer. */
export type Memory = {
  version: number
  total?: number
  /** While the total is being counted: whoever wants to know meanwhile waits for the same. */
  counting?: Promise<number>
  /** Which of the filter's sets is narrow enough to begin with, or that none is. */
  start?: { index: number; width: number } | 'none'
  /** By the name of a sort, in ascending order. */
  milestones: Map<string, Milestone[]>
  /** The ids on pages that were read, by sort, offset and size. */
  pages: Map<string, readonly string[]>
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
  const memory = known?.version === version ? known : { version, milestones: new Map(), pages: new Map() }
  memories.delete(filter)
  memories.set(filter, memory)
  if (memories.size > FILTERS_KEPT) {
    const oldest = memories.keys().next().value
    if (oldest !== undefined) memories.delete(oldest)
  }
  return memory
}

export function countOnce(memory: Memory, count: () => Promise<number>): Promise<number> {
  memory.counting ??= count().finally(() => {
    memory.counting = undefined
  })
  return memory.counting
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

/** So many ids are kept for all pages together, each of some fifty bytes. */
const IDS_KEPT = 50_000

/** In the order in which they were kept, so that the first is the one to forget. */
const kept: { memory: Memory; page: string; size: number }[] = []
let idsKept = 0

export function keepPage(memory: Memory, page: string, ids: readonly string[]): void {
  if (memory.pages.has(page)) return
  memory.pages.set(page, ids)
  kept.push({ memory, page, size: ids.length + 1 })
  idsKept += ids.length + 1
  while (idsKept > IDS_KEPT) {
    const oldest = kept.shift()
    if (!oldest) return
    oldest.memory.pages.delete(oldest.page)
    idsKept -= oldest.size
  }
}
