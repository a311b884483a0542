import type { Group } from './groups/grouping.ts'
import type { ListQuery } from './list-query.ts'

/** A part of a list with a query of its own: a group, or the whole list. */
export type Segment = { query: ListQuery; group?: Group; open?: boolean }

/** Where a segment is among the rows of the list. A group begins with a row for its head. */
type SegmentRows = Segment & { head: number; first: number; end: number }

/** A list without groups has as many rows as its records, which is known with the first of them. */
export function placeSegments(segments: readonly Segment[], records: number): SegmentRows[] {
  let head = 0
  return segments.map((segment) => {
    const first = segment.group ? head + 1 : head
    const count = segment.group ? (segment.open ? segment.group.count : 0) : records
    const placed = { ...segment, head, first, end: first + count }
    head = placed.end
    return placed
  })
}

/** The segment of a row. There are a few hundred at most, but rows are looked up often. */
export function segmentAt(placed: readonly SegmentRows[], row: number): SegmentRows | undefined {
  let low = 0
  let high = placed.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((placed[middle]?.head ?? 0) <= row) low = middle
    else high = middle - 1
  }
  const found = placed[low]
  return found && row >= found.head && row < found.end ? found : undefined
}

type PageRequest = { query: ListQuery; page: number }

/** The pages of records that rows need, from the first row to the last. */
export function pagesBetween(
  placed: readonly SegmentRows[],
  { first, last }: { first: number; last: number },
  pageSize: number,
): PageRequest[] {
  return placed.flatMap(({ query, first: begin, end }) => {
    const from = Math.max(first, begin)
    const to = Math.min(last, end - 1)
    const pages: PageRequest[] = []
    for (let page = pageOf(from - begin, pageSize); page <= pageOf(to - begin, pageSize) && from <= to; page++) {
      pages.push({ query, page })
    }
    return pages
  })
}

export function pageOf(place: number, pageSize: number): number {
  return Math.floor(place / pageSize) + 1
}
