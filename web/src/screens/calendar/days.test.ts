import { describe, expect, it } from 'vitest'
import { addMonths, daysShown, isDay, stepped } from './days.ts'

const MONDAY = 1
const SUNDAY = 0

describe('the days of a calendar', () => {
  it('of a month are whole weeks, from the day with which weeks begin', () => {
    const november = { span: 'month', day: '2026-11-17' } as const
    const fromMonday = daysShown({ ...november, firstDay: MONDAY })
    expect([fromMonday.length, fromMonday[0], fromMonday.at(-1)]).toEqual([42, '2026-10-26', '2026-12-06'])
    const fromSunday = daysShown({ ...november, firstDay: SUNDAY })
    expect([fromSunday.length, fromSunday[0], fromSunday.at(-1)]).toEqual([35, '2026-11-01', '2026-12-05'])
    const february = daysShown({ span: 'month', day: '2027-02-28', firstDay: MONDAY })
    expect([february.length, february[0]]).toEqual([28, '2027-02-01'])
  })

  it('of a week hold the day', () => {
    expect(daysShown({ span: 'week', day: '2026-11-15', firstDay: MONDAY })[0]).toBe('2026-11-09')
    expect(daysShown({ span: 'week', day: '2026-11-15', firstDay: SUNDAY })[0]).toBe('2026-11-15')
  })

  it('lie a week or a month apart, also at the ends of months and of the year', () => {
    expect(stepped({ span: 'week', day: '2026-12-30' }, 1)).toBe('2027-01-06')
    expect([addMonths('2027-01-31', 1), addMonths('2026-12-31', 1)]).toEqual(['2027-02-28', '2027-01-31'])
    expect(addMonths('2027-01-15', -1)).toBe('2026-12-15')
  })

  it('are recognised', () => {
    expect(['2026-11-17', '2026-13-01', 'today'].map(isDay)).toEqual([true, false, false])
  })
})
