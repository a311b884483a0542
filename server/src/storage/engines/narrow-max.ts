/**
 * Up to so many matches are collected and sorted. With more, a page is found sooner by scanning the list in its order:
 * collecting costs as much as there are matches, scanning as much as there are records per match. The costs are equal
 * near the root.
 */
export function narrowMax(live: number): number {
  return Math.min(6000, Math.max(500, Math.round(Math.sqrt(30 * live))))
}

const COUNTED_MAX = 20_000

/** How many index entries SQLite reads in the time of one lookup of a record by id. */
const LOOK_UP_COST = 8

/** A total is counted by looking up the records of the narrowest set if that has no more matches than this. */
export function countedMax(live: number): number {
  return Math.min(COUNTED_MAX, Math.ceil(live / LOOK_UP_COST))
}
