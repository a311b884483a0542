import { LOOK_UP } from '../query/look-up.ts'
import type { DialectName } from './session.ts'

/**
 * Up to so many matches are gathered and sorted; with more of them a page is found sooner by walking along the list. Gathering
 * costs as much as there are matches, walking as much as there are records to a match: the two meet near the root.
 */
export function narrowMax(live: number): number {
  return Math.min(6000, Math.max(500, Math.round(Math.sqrt(30 * live))))
}

/** What is put by for a first page is kept within bounds. */
const COUNTED_MAX = 20_000

/** Up to so many records are looked up to see which of them meet the other conditions, too. */
export function countedMax(dialect: DialectName, live: number): number {
  return Math.min(COUNTED_MAX, Math.ceil(live / LOOK_UP[dialect]))
}
