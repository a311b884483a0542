import { describe, expect, it } from 'vitest'
import { addTo, averageOf, newSum, textOf } from './decimal-sum.ts'

const sumOf = (...values: unknown[]) => {
  const text = textOf(values.reduce(addTo, newSum()) as ReturnType<typeof newSum>)
  return text === null ? null : Number(text)
}

describe('A sum', () => {
  it.each([
    [[0.1, 0.2], 0.3],
    [[1e9 + 0.1, -1e9], 0.1],
    [[2 ** 53, 0.5, -(2 ** 53)], 0.5],
    [[70368744177663.99, 70368744177663.99], 140737488355327.98],
    [Array.from({ length: 20 }, () => 999_999_999.999999), 19_999_999_999.99998],
    [[1e-7, 2e-7], 3e-7],
    [[1e-20, 1, -1], 1e-20],
    [[5e-324, 5e-324], 1e-323],
    [[0.123456789012, 0.000000000001], 0.123456789013],
    [['0.300000', -0.1, '-12.50', null], -12.3],
    [[-0.5, 0.5], 0],
    [[null], null],
    [[], null],
  ])('of %j is exact', (values, sum) => {
    expect(sumOf(...values)).toBe(sum)
  })
})

describe('An average', () => {
  it.each([
    ['100', 3, 4, 33.3333],
    ['200.00', 3, 4, 66.6667],
    ['-200', 3, 2, -66.67],
    ['0.25', 2, 2, 0.13],
    ['-0.25', 2, 2, -0.13],
    ['0.0000004', 1, 6, 0],
    ['9007199254740993', 1, 4, 9007199254740992],
  ])('of %s in %d values with %d decimals is rounded half up', (sum, count, decimals, average) => {
    expect(averageOf(sum, { count, decimals })).toBe(average)
  })
})
