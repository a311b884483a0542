import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aField, asked, entry, indexed, parsed, presented, problems } from './test-field.ts'

const field = aField('currency', { settings: { currency: 'EUR', decimals: 2 } })
const yen = aField('currency', { settings: { currency: 'JPY', decimals: 0 } })
const dinar = aField('currency', { settings: { currency: 'KWD', decimals: 3 } })

describe('an amount', () => {
  it.each([
    [field, 12.5, 12.5],
    [field, '12.50', 12.5],
    [field, '12.500', 12.5],
    [field, '1250e-2', 12.5],
    [field, 0.1, 0.1],
    [field, '-0.00', 0],
    [field, '0.000', 0],
    [field, '70368744177663.99', 70368744177663.99],
    [aField('currency'), 19.99, 19.99],
    [yen, 9007199254740991, 9007199254740991],
    [yen, '1.5e1', 15],
    [dinar, '1.234', 1.234],
    [field, null, null],
    [field, '', null],
  ])('is stored exactly: %#', (of, raw, stored) => {
    expect(parsed(of, raw)).toEqual({ value: stored, issues: [] })
  })

  it.each([
    [field, 0.1 + 0.2, 'must not have more than 2 decimals'],
    [field, '12.345', 'must not have more than 2 decimals'],
    [field, 1e-7, 'must not have more than 2 decimals'],
    [field, '1e-400', 'must not have more than 2 decimals'],
    [aField('currency'), 0.001, 'must not have more than 2 decimals'],
    [dinar, 1.2345, 'must not have more than 3 decimals'],
    [yen, 1.5, 'must be a whole number'],
    [field, 1e21, 'must be less than 70368744177664, and more than -70368744177664'],
    [field, '-70368744177664.00', 'must be less than 70368744177664, and more than -70368744177664'],
    [dinar, 8796093022208, 'must be less than 8796093022208, and more than -8796093022208'],
    [yen, '9007199254740993', 'must be less than 9007199254740992, and more than -9007199254740992'],
    [field, 'twelve', 'must be a number'],
    [field, false, 'must be a number'],
    [field, Number.POSITIVE_INFINITY, 'must be a number'],
  ])('is refused when it could not be: %#', (of, raw, problem) => {
    expect(problems(of, raw)).toEqual([`custom_fields.it: The It ${problem}.`])
  })

  it('keeps every cent up to its limit', () => {
    const cents = fc.bigInt({ min: 0n, max: 7_036_874_417_766_399n })
    fc.assert(
      fc.property(cents, (sent) => {
        const digits = String(sent).padStart(3, '0')
        const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`
        const stored = parsed(field, text).value ?? 'refused'
        expect(Number(stored).toFixed(2)).toBe(text)
        expect(parsed(field, presented(field, stored)).value).toBe(stored)
      }),
    )
  })

  it('is found by its number, and compared with any number', () => {
    expect(indexed(field, 12.5)).toEqual([entry({ number_key: 12.5 })])
    expect(asked(field, { $gte: '12.3456' }).value).toEqual({ test: 'number', bounds: { from: 12.3456 } })
  })
})
