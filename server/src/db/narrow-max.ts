/**
 * Up to so many matches are gathered and sorted; with more of them a page is found sooner by walking along the list. Gathering
 * costs as much as there are matches, walking as much as there are records to a match: the two meet near the root.
 */
export function narrowMax(live: number): number {
  return Math.min(6000, Math.max(500, Math.round(Math.sqrt(30 * live))))
}
