import { describe, expect, it } from 'vitest'
import { scaleOf } from './scale.ts'

describe('a scale', () => {
  it.each([
    [[0], true, [0, 1]],
    [[1, 2], true, [0, 1, 2]],
    [[9], true, [0, 5, 10]],
    [[37, 12], true, [0, 10, 20, 30, 40]],
    [[0.5], false, [0, 0.2, 0.4, 0.6000000000000001]],
    [[1500], false, [0, 500, 1000, 1500]],
    [[90_000], false, [0, 25_000, 50_000, 75_000, 100_000]],
  ])('of %j has round marks', (values, whole, ticks) => {
    expect(scaleOf(values, whole).ticks).toEqual(ticks)
    expect(scaleOf(values, whole).top).toBeGreaterThanOrEqual(Math.max(...values))
  })
})
