import { describe, expect, it } from 'vitest'
import { pagesBetween, placeSegments, type Segment, segmentAt } from './segments.ts'

function group(key: string, count: number, open = true): Segment {
  return { query: { sort: key }, open, group: { key, label: key, count, filter: {}, color: null } }
}

describe('the rows of a grouped list', () => {
  const placed = placeSegments([group('a', 150), group('b', 5, false), group('c', 1)], 0)
  const at = (row: number) => {
    const found = segmentAt(placed, row)
    return found && [found.group?.key, row - found.first]
  }

  it('are a head and the records of each open group', () => {
    expect(at(0)).toEqual(['a', -1])
    expect(at(1)).toEqual(['a', 0])
    expect(at(150)).toEqual(['a', 149])
    expect(at(151)).toEqual(['b', -1])
    expect(at(152)).toEqual(['c', -1])
    expect(at(153)).toEqual(['c', 0])
    expect(at(154)).toBeUndefined()
  })

  it('need the pages of the groups that are visible', () => {
    const pages = (first: number, last: number) =>
      pagesBetween(placed, { first, last }, 100).map(({ query, page }) => `${query.sort}${page}`)
    expect(pages(0, 0)).toEqual([])
    expect(pages(0, 100)).toEqual(['a1'])
    expect(pages(90, 153)).toEqual(['a1', 'a2', 'c1'])
    expect(pages(151, 152)).toEqual([])
  })
})

it('a list without groups is one segment', () => {
  const placed = placeSegments([{ query: {} }], 250)
  expect(segmentAt(placed, 249)?.first).toBe(0)
  expect(segmentAt(placed, 250)).toBeUndefined()
  expect(pagesBetween(placed, { first: 80, last: 220 }, 100).map(({ page }) => page)).toEqual([1, 2, 3])
})
