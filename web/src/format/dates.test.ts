import { autoFormats, type Formats } from '@kith/contract/app/formats'
import { afterEach, describe, expect, it } from 'vitest'
import { dayFormat, firstDay, shortDayFormat, timeFormat } from './dates.ts'
import { setFormats } from './formats.ts'
import { formatMoney, formatNumber } from './numbers.ts'
import { parseNumber, typedNumber } from './typed-number.ts'

afterEach(() => setFormats(autoFormats))

const choose = (formats: Partial<Formats>) => setFormats({ ...autoFormats, ...formats })

describe('the formats of a user', () => {
  it.each([
    ['dd/mm/yyyy', '05/11/2026', '05/11'],
    ['mm/dd/yyyy', '11/05/2026', '11/05'],
    ['dd.mm.yyyy', '05.11.2026', '05.11.'],
    ['yyyy-mm-dd', '2026-11-05', '11-05'],
  ] as const)('write a date as %s', (dates, whole, short) => {
    choose({ dates })
    const day = new Date(2026, 10, 5)
    expect([dayFormat()(day), shortDayFormat()(day)]).toEqual([whole, short])
  })

  it('write the hour of a day with 12 or 24 hours', () => {
    const late = new Date(2026, 10, 5, 21, 5)
    choose({ hours: '24' })
    expect(timeFormat()(late)).toBe('21:05')
    choose({ hours: '12' })
    expect(timeFormat()(late)).toMatch(/^9:05/)
  })

  it.each([
    ['1,234.5', '1,234,567.25'],
    ['1.234,5', '1.234.567,25'],
    ['1 234,5', '1\u00a0234\u00a0567,25'],
    ['1’234.5', '1’234’567.25'],
    ['1234.5', '1234567.25'],
  ] as const)('write a number as %s', (numbers, written) => {
    choose({ numbers })
    expect(formatNumber(1_234_567.25)).toBe(written)
    expect(formatMoney(1_234_567.25, { currency: 'EUR' })).toContain(written)
    // What is shown can be typed.
    expect([parseNumber(written), parseNumber(typedNumber(1234.5))]).toEqual([1_234_567.25, 1234.5])
  })

  it('begin the week', () => {
    choose({ first_day: 'saturday' })
    expect(firstDay()).toBe(6)
  })
})
