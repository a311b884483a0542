import { expect, it } from 'vitest'
import type { Field } from '../../../api/fields.ts'
import type { Property } from '../../../properties/property.ts'
import { formatMeasure, measuresIn, measuresOf, summaryOf, withMeasure } from './measures.ts'

// Of a field, only these are read.
const field = { code: 'amount', type: 'currency', settings: { currency: 'EUR' } } as unknown as Field
const amount: Property = { kind: 'custom', key: 'custom_fields.amount', label: 'Amount', field }
const company: Property = {
  ...{ kind: 'reference', key: 'company_id', label: 'Company' },
  ...{ attribute: 'company_id', include: 'company', to: 'companies' },
}

it('the footers of a list are read from its address and written to it', () => {
  const text = withMeasure(withMeasure(undefined, 'custom_fields.amount', 'sum'), 'company_id', 'empty')
  expect(text).toBe('custom_fields.amount~sum,company_id~empty')
  expect(measuresIn(`${text},name~nonsense`)).toEqual(
    new Map([
      ['custom_fields.amount', 'sum'],
      ['company_id', 'empty'],
    ]),
  )
  expect(withMeasure(withMeasure(text, 'company_id', undefined), 'custom_fields.amount', undefined)).toBeUndefined()
})

it('numbers are summed, and everything that can be empty is counted', () => {
  expect(measuresOf(amount)).toContain('sum')
  expect(measuresOf(company)).toEqual(['empty', 'filled'])
  expect(measuresOf({ kind: 'name', key: 'name', label: 'Name' })).toEqual([])
})

it('a footer is about the records of the filter', () => {
  const filter = { $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' } }], company: { name: { $eq: 'C' } } }
  expect(summaryOf(amount, 'sum', filter)).toEqual({ measure: 'sum', field: 'custom_fields.amount', filter })
  expect(summaryOf(company, 'empty', undefined)).toEqual({ measure: 'count', filter: { company: { $is_empty: true } } })
  expect(summaryOf(company, 'filled', filter)).toEqual({
    measure: 'count',
    filter: { ...filter, $and: [{ company: { $is_empty: false } }] },
  })
})

it('a sum has the decimals of the rows', () => {
  expect(formatMeasure(amount, 'sum', 1_234_567.5)).toMatch(/1.234.567.50/)
  expect(formatMeasure(amount, 'empty', 1234)).not.toMatch(/00$/)
})
