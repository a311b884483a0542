import type { FieldDefinition } from '@kith/contract/field-definition'
import { describe, expect, it } from 'vitest'
import { averageOf, sumOf } from './summarize.ts'

const field = (type: 'number' | 'currency', settings = {}): FieldDefinition => ({
  id: '',
  number: 1,
  key: '',
  entity_type: 'opportunities',
  code: 'amount',
  name: 'Amount',
  type,
  description: null,
  required: false,
  unique: false,
  multiple: false,
  max_values: 1,
  position: 1,
  system: false,
  settings,
  options: [],
  created_at: '',
  updated_at: '',
})

const row = (whole: number, fraction: number, held: number) => ({
  kind: 'group' as const,
  key: null,
  records: held,
  held,
  least: null,
  most: null,
  high_part: Math.floor(whole / 2 ** 20),
  low_part: whole - Math.floor(whole / 2 ** 20) * 2 ** 20,
  fraction,
})

describe('a sum', () => {
  it.each([
    [0, 300, 2, 0.3],
    [-1, 700, 1, -0.3],
    [2 ** 46 - 1, 990, 1, 70368744177663.99],
    [-3, 0, 1, -3],
  ])('of currency is exact: %d and %d thousandths of %d values', (whole, fraction, held, sum) => {
    expect(sumOf(row(whole, fraction, held), field('currency'))).toBe(sum)
  })

  it('of numbers knows nine decimals', () => {
    expect(sumOf(row(1, 100_000_000, 2), field('number'))).toBe(1.1)
  })
})

describe('an average', () => {
  it('of currency has the decimals of its field, rounded to the nearest', () => {
    expect(averageOf(row(100, 0, 3), field('currency'))).toBe(33.33)
    expect(averageOf(row(200, 0, 3), field('currency'))).toBe(66.67)
    expect(averageOf(row(-200, 0, 3), field('currency'))).toBe(-66.67)
    expect(averageOf(row(5, 0, 2), field('currency', { decimals: 0 }))).toBe(3)
  })

  it('of nothing is none', () => {
    expect(averageOf(row(0, 0, 0), field('currency'))).toBeNull()
  })
})
