import { describe, expect, it } from 'vitest'
import { nextDue, type Repeat } from './next-due.ts'

const berlin = { time_zone: 'Europe/Berlin', anchor: null, every: 1, after_completion: false } as const
const daily: Repeat = { ...berlin, unit: 'day' }
const weekdays: Repeat = { ...berlin, unit: 'weekday' }
const weekly: Repeat = { ...berlin, unit: 'week' }
const monthly: Repeat = { ...berlin, unit: 'month' }

/** The due dates of tasks that are completed one after the other, each an hour before it is due. */
function series(repeat: Repeat, first: string, count: number): string[] {
  const found: string[] = []
  let last = { due: first, anchor: repeat.anchor }
  for (let i = 0; i < count; i++) {
    const completed = new Date(Date.parse(last.due) - 3_600_000)
    last = nextDue({ ...repeat, anchor: last.anchor }, { due: last.due, completed }) ?? last
    found.push(last.due.slice(0, 16))
  }
  return found
}

const next = (repeat: Repeat, due: string | null, completed: string) =>
  nextDue(repeat, { due, completed: new Date(completed) })?.due

describe('the next due date', () => {
  // 9 o'clock in Berlin is 8 o'clock UTC in winter.
  it.each([
    ['daily', daily, '2026-11-14T08:00:00Z', ['2026-11-15T08:00', '2026-11-16T08:00']],
    ['every 3 days', { ...daily, every: 3 }, '2026-11-29T08:00:00Z', ['2026-12-02T08:00', '2026-12-05T08:00']],
    ['weekdays', weekdays, '2026-11-19T08:00:00Z', ['2026-11-20T08:00', '2026-11-23T08:00', '2026-11-24T08:00']],
    ['weekdays, from a Saturday', weekdays, '2026-11-21T08:00:00Z', ['2026-11-23T08:00']],
    ['every 7 weekdays', { ...weekdays, every: 7 }, '2026-11-19T08:00:00Z', ['2026-11-30T08:00']],
    ['weekly', weekly, '2026-12-28T08:00:00Z', ['2027-01-04T08:00', '2027-01-11T08:00']],
    ['every 2 weeks', { ...weekly, every: 2 }, '2026-11-14T08:00:00Z', ['2026-11-28T08:00']],
    ['monthly', monthly, '2026-11-14T08:00:00Z', ['2026-12-14T08:00', '2027-01-14T08:00']],
    [
      'monthly on the 31st: the last day of shorter months, and the 31st again',
      monthly,
      '2026-12-31T08:00:00Z',
      ['2027-01-31T08:00', '2027-02-28T08:00', '2027-03-31T07:00', '2027-04-30T07:00', '2027-05-31T07:00'],
    ],
    ['monthly on the 29th in a leap year', monthly, '2028-01-29T08:00:00Z', ['2028-02-29T08:00', '2028-03-29T07:00']],
    ['yearly', { ...monthly, every: 12 }, '2028-02-29T08:00:00Z', ['2029-02-28T08:00', '2030-02-28T08:00']],
    [
      'daily over the beginning and the end of summer time: the clock on the wall stays',
      daily,
      '2026-03-27T08:00:00Z',
      ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
    ],
    ['daily over the end of summer time', daily, '2026-10-24T07:00:00Z', ['2026-10-25T08:00', '2026-10-26T08:00']],
    [
      'daily at a time that a day does not have: an hour later on that day only',
      daily,
      '2026-03-28T01:30:00Z',
      ['2026-03-29T01:30', '2026-03-30T00:30', '2026-03-31T00:30'],
    ],
    ['daily at midnight', daily, '2026-03-27T23:00:00Z', ['2026-03-28T23:00', '2026-03-29T22:00']],
    [
      'daily in a zone whose summer time begins at midnight',
      { ...daily, time_zone: 'America/Santiago' },
      '2026-09-05T04:00:00Z',
      ['2026-09-06T04:00', '2026-09-07T03:00'],
    ],
  ] as const)('%s', (_, repeat, first, dates) => {
    expect(series(repeat, first, dates.length)).toEqual(dates)
  })

  it.each([
    ['daily, completed days later, before the time of the day', daily, '2026-11-20T07:00:00Z', '2026-11-20T08:00'],
    ['daily, completed days later, after the time of the day', daily, '2026-11-20T09:00:00Z', '2026-11-21T08:00'],
    ['daily, completed at its next time', daily, '2026-11-15T08:00:00Z', '2026-11-16T08:00'],
    ['every 3 days keeps its rhythm', { ...daily, every: 3 }, '2026-11-21T09:00:00Z', '2026-11-23T08:00'],
    ['weekdays, on a Saturday', weekdays, '2026-11-21T09:00:00Z', '2026-11-23T08:00'],
    ['weekdays, much later', weekdays, '2031-11-19T07:00:00Z', '2031-11-19T08:00'],
    ['weekly keeps its weekday', weekly, '2026-12-02T09:00:00Z', '2026-12-05T08:00'],
    ['monthly keeps its day', monthly, '2027-03-14T09:00:00Z', '2027-04-14T07:00'],
    [
      'after completion: 3 days',
      { ...daily, every: 3, after_completion: true },
      '2026-11-20T20:00:00Z',
      '2026-11-23T08:00',
    ],
    [
      'after completion: 2 weeks, early',
      { ...weekly, every: 2, after_completion: true },
      '2026-11-01T20:00:00Z',
      '2026-11-15T08:00',
    ],
    [
      'after completion: a weekday',
      { ...weekdays, after_completion: true },
      '2026-11-20T20:00:00Z',
      '2026-11-23T08:00',
    ],
    ['after completion: a month', { ...monthly, after_completion: true }, '2027-01-31T12:00:00Z', '2027-02-28T08:00'],
  ] as const)('of a task that was due on Sat 14 Nov 2026 at 9 o’clock: %s', (_, repeat, completed, due) => {
    expect(next(repeat, '2026-11-14T08:00:00.000Z', completed)).toBe(`${due}:00.000Z`)
  })

  it('of a task without one is in the morning, counted from its completion', () => {
    expect(next(daily, null, '2026-11-14T20:00:00Z')).toBe('2026-11-15T08:00:00.000Z')
    expect(next(weekly, null, '2026-11-14T20:00:00Z')).toBe('2026-11-21T08:00:00.000Z')
    // It is the 15th in Berlin already.
    expect(next(daily, null, '2026-11-14T23:30:00Z')).toBe('2026-11-16T08:00:00.000Z')
  })

  it('follows a due date that was moved by hand, not one that a short month or a change of the clock has moved', () => {
    const moved = { ...monthly, anchor: '31 09:00:00' }
    expect(next(moved, '2027-02-28T08:00:00Z', '2027-02-01T08:00:00Z')).toBe('2027-03-31T07:00:00.000Z')
    expect(next(moved, '2027-02-20T08:00:00Z', '2027-02-01T08:00:00Z')).toBe('2027-03-20T08:00:00.000Z')
    expect(next(moved, '2027-02-28T15:00:00Z', '2027-02-01T08:00:00Z')).toBe('2027-03-31T14:00:00.000Z')
  })

  it('ends with the last time that can be stored', () => {
    expect(next(daily, '9999-12-30T08:00:00Z', '2026-11-14T08:00:00Z')).toBeUndefined()
    expect(next(daily, '0001-01-01T00:00:00Z', '2026-11-14T08:00:00Z')).toBeDefined()
  })
})
