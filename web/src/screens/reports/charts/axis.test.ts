import { describe, expect, it } from 'vitest'
import { axisOf, flow, labelPlace, labelStep, placeOn } from './axis.ts'

describe('the axis of a chart', () => {
  it.each([
    [[], false, [0, 1]],
    [[0, 0], true, [0, 1]],
    [[3, 1], true, [0, 1, 2, 3]],
    [[7], true, [0, 2, 4, 6, 8]],
    [[84_000, 12_500], false, [0, 25_000, 50_000, 75_000, 100_000]],
    [[0.3], false, [0, 0.1, 0.2, 0.3]],
    [[100, 50], false, [0, 25, 50, 75, 100]],
    [[-5, 12], false, [-5, 0, 5, 10, 15]],
    [[-30], true, [-30, -20, -10, 0]],
  ])('of %j (whole: %s) has round marks and zero', (values, whole, ticks) => {
    expect(axisOf(values, whole).ticks).toEqual(ticks)
  })

  it('holds every value, however large or small', () => {
    for (let power = -6; power < 15; power++) {
      for (const factor of [1, 1.01, 2.4, 4.99, 9.999]) {
        const value = factor * 10 ** power
        const { low, high, ticks } = axisOf([value, -value / 3])
        expect(low).toBeLessThanOrEqual(-value / 3)
        expect(high).toBeGreaterThanOrEqual(value)
        expect(ticks.length).toBeLessThan(10)
        expect(ticks).toContain(0)
      }
    }
  })

  it('places values', () => {
    const axis = axisOf([-5, 12])
    expect([-5, 0, 15].map((value) => placeOn(axis, value, 200))).toEqual([0, 50, 200])
  })
})

describe('labels', () => {
  it('leave some out where there is no room', () => {
    expect(labelStep([30, 50], 60)).toBe(1)
    expect(labelStep([30, 50], 40)).toBe(2)
    expect(labelStep([30, 50], 10)).toBe(6)
    expect(labelStep([], 0)).toBe(8)
  })

  it('at the ends stay inside of the drawing', () => {
    expect([5, 50, 98].map((middle) => labelPlace(middle, 20, 100))).toEqual([10, 50, 90])
  })

  it('of a legend flow into lines', () => {
    expect(flow([40, 50, 60, 200, 10], 120)).toEqual([
      { x: 0, line: 0 },
      { x: 40, line: 0 },
      { x: 0, line: 1 },
      { x: 0, line: 2 },
      { x: 0, line: 3 },
    ])
  })
})
