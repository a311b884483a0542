import {
  addDays,
  type Day,
  type DayRange,
  dayAt,
  daysOf,
  isDay,
  offeredPeriods,
  periodLabel,
} from '@kith/contract/relative/periods'
import type { Reader } from '@kith/contract/relative/resolve-filter'

/** The period of a report in its address: a word such as `this_quarter`, or two days: `2026-01-01..2026-03-31`. */
export function rangeIn(period: string | undefined): DayRange | undefined {
  const [first, last] = period?.split('..') ?? []
  return isDay(first) && isDay(last) && first <= last ? { first, last } : undefined
}

/** The condition that a period is in the filter of a list. */
export function periodTest(period: string): object {
  const range = rangeIn(period)
  return range ? { $between: [range.first, range.last] } : { $during: period }
}

/** The days of a period; undefined for all time. */
export function daysIn(period: string | undefined, { now, timeZone, weekStart }: Reader): DayRange | undefined {
  if (period === undefined) return undefined
  return rangeIn(period) ?? daysOf(period, { today: dayAt(now, timeZone), weekStart })
}

/** Periods that have passed or are in progress come first: most reports look back. */
export const reportPeriods = offeredPeriods
  .filter((period) => !['today', 'yesterday', 'tomorrow'].includes(period))
  .map((value) => ({ value, label: periodLabel(value) }))

/** The days of a period of a summary: `2026-11-14`, `2026-W46`, `2026-11`, `2026-Q4` or `2026`. */
export function daysOfId(id: string): DayRange | undefined {
  if (isDay(id)) return { first: id, last: id }
  const [, year = '', rest] = /^(\d{4})(?:-(W\d\d|Q\d|\d\d))?$/.exec(id) ?? []
  if (year === '') return undefined
  if (rest === undefined) return { first: `${year}-01-01`, last: `${year}-12-31` }
  const number = Number(rest.replace(/\D/, ''))
  if (rest.startsWith('W')) {
    // The week with January 4 is the first one.
    const fourth = `${year}-01-04`
    const monday = addDays(fourth, 1 - weekday(fourth))
    const first = addDays(monday, 7 * (number - 1))
    return { first, last: addDays(first, 6) }
  }
  const [months, place] = rest.startsWith('Q') ? [3, 3 * (number - 1)] : [1, number - 1]
  return { first: monthStart(year, place), last: addDays(monthStart(year, place + months), -1) }
}

function weekday(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7
}

function monthStart(year: string, month: number): Day {
  return new Date(Date.UTC(Number(year), month, 1)).toISOString().slice(0, 10)
}

/** A period of a summary in words: "Nov 2026", "Q4 2026", "14 Nov 2026". */
export function idLabel(id: string): string {
  const [, year = '', rest = ''] = /^(\d{4})-(W\d\d|Q\d)$/.exec(id) ?? []
  if (rest !== '') return `${rest} ${year}`
  const days = daysOfId(id)
  if (!days || /^\d{4}$/.test(id)) return id
  const day = isDay(id) ? { day: 'numeric' as const } : {}
  const shown = { ...day, month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(undefined, shown).format(new Date(`${days.first}T00:00:00Z`))
}
