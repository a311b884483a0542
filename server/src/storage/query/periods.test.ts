import { PERIODS_MAX } from '@kith/contract/limits'
import { periods as names, type Period } from '@kith/contract/summary'
import { describe, expect, it } from 'vitest'
import { periodsIn } from './periods.ts'

/** The period of a time by the starts, as SQL finds it. */
function found(value: string, { ids, starts }: NonNullable<ReturnType<typeof periodsIn>>): string | undefined {
  return ids[starts.findLast(({ from }) => from <= value)?.period ?? -1]
}

const zones = [
  ...[
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  ],
  ...['America/St_Johns', 'America/Sao_Paulo', 'Africa/Cairo', 'Asia/Beirut', 'Africa/Monrovia', 'Pacific/Kiritimati'],
]

/** The day by another implementation of time zones. */
function dayBy(zone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  return (time) => format.format(time)
}

const HOUR = 3_600_000

describe('Times belong to the day in their time zone, at every change of the clocks', () => {
  it.each(zones)('in %s', (zone) => {
    const dayOf = dayBy(zone)
    for (const [from, to] of [
      ['2026-03-01', '2026-04-10'],
      ['2026-10-01', '2026-11-10'],
      ['2011-12-20', '2012-01-10'],
      ['2006-10-20', '2006-11-05'],
      ['1971-12-20', '1972-01-20'],
    ]) {
      const range = { smallest: `${from}T00:00:30.000Z`, largest: `${to}T23:59:59.999Z` }
      const days = periodsIn(range, 'day', zone)
      if (!days) throw new Error('These are not many days.')
      const wrong: string[] = []
      for (let at = Date.parse(range.smallest); at < Date.parse(range.largest); at += HOUR / 4) {
        const moment = new Date(at).toISOString()
        if (found(moment, days) !== dayOf(at)) wrong.push(moment)
      }
      expect(wrong).toEqual([])
    }
  })

  it('to the millisecond', () => {
    const days = periodsIn(
      { smallest: '2026-03-28T00:00:00.000Z', largest: '2026-10-26T12:00:00.000Z' },
      'day',
      'Europe/Berlin',
    )
    const dayOf = (moment: string) => days && found(moment, days)
    expect(dayOf('2026-03-28T22:59:59.999Z')).toBe('2026-03-28')
    expect(dayOf('2026-03-28T23:00:00.000Z')).toBe('2026-03-29')
    expect(dayOf('2026-03-29T21:59:59.999Z')).toBe('2026-03-29')
    expect(dayOf('2026-03-29T22:00:00.000Z')).toBe('2026-03-30')
    expect(dayOf('2026-10-25T22:59:59.999Z')).toBe('2026-10-25')
    expect(dayOf('2026-10-25T23:00:00.000Z')).toBe('2026-10-26')
  })

  it('also where clocks are set back over midnight, and a day begins twice', () => {
    const days = periodsIn(
      { smallest: '2006-10-28T00:00:00.000Z', largest: '2006-10-30T00:00:00.000Z' },
      'day',
      'America/St_Johns',
    )
    const dayOf = (moment: string) => days && found(moment, days)
    expect(dayOf('2006-10-29T02:30:00.000Z')).toBe('2006-10-29')
    expect(dayOf('2006-10-29T02:31:00.000Z')).toBe('2006-10-28')
    expect(dayOf('2006-10-29T03:30:00.000Z')).toBe('2006-10-29')
  })
})

describe('The periods', () => {
  const listed = (smallest: string, largest: string, period: Period, zone: string | null = null) =>
    periodsIn({ smallest, largest }, period, zone)?.ids

  it('are all between the first and the last', () => {
    expect(listed('2026-01-31', '2026-02-02', 'day')).toEqual(['2026-01-31', '2026-02-01', '2026-02-02'])
    expect(listed('2026-11-14', '2027-01-10', 'month')).toEqual(['2026-11', '2026-12', '2027-01'])
    expect(listed('2026-11-14', '2027-04-01', 'quarter')).toEqual(['2026-Q4', '2027-Q1', '2027-Q2'])
    expect(listed('2024-02-29', '2026-01-01', 'year')).toEqual(['2024', '2025', '2026'])
    expect(listed('0009-05-01', '0010-01-01', 'year')).toEqual(['0009', '0010'])
  })

  it('begin on Monday, and the first week of a year has its first Thursday', () => {
    expect(listed('2026-11-09', '2026-11-15', 'week')).toEqual(['2026-W46'])
    expect(listed('2026-12-31', '2027-01-04', 'week')).toEqual(['2026-W53', '2027-W01'])
    expect(listed('2018-12-31', '2018-12-31', 'week')).toEqual(['2019-W01'])
  })

  it.each(names)('can be %ss of all values that there are', (period) => {
    for (const value of ['0001-01-01', '9999-12-31']) expect(listed(value, value, period)).toHaveLength(1)
    for (const [at, zone] of [
      ['0001-01-01T00:00:00.000Z', 'America/New_York'],
      ['9999-12-31T23:59:59.999Z', 'Asia/Tokyo'],
    ] as const)
      expect(listed(at, at, period, zone)).toHaveLength(1)
  })

  it(`are at most ${PERIODS_MAX}`, () => {
    expect(listed('2024-01-01', '2026-09-26', 'day')).toHaveLength(PERIODS_MAX)
    expect(listed('2024-01-01', '2026-09-27', 'day')).toBeUndefined()
    expect(listed('0001-01-01', '9999-12-31', 'year')).toBeUndefined()
    expect(listed('1000-06-01T00:00:00.000Z', '1999-06-01T00:00:00.000Z', 'year', 'Europe/Paris')).toHaveLength(
      PERIODS_MAX,
    )
  })
})
