/** The days of a period, both included. */
export type DayRange = { first: Day; last: Day }

/** Everything before now. */
export const OVERDUE = 'overdue'

export const PERIOD_DAYS_MAX = 3650

/** The periods that are offered, in their order. `last_45_days` and the like exist as well. */
export const offeredPeriods: readonly string[] = [
  ['today', 'yesterday', 'tomorrow'],
  ['last_7_days', 'last_30_days', 'last_90_days', 'next_7_days', 'next_30_days', 'next_90_days'],
  ['week', 'month', 'quarter', 'year'].flatMap((unit) => [`this_${unit}`, `last_${unit}`, `next_${unit}`]),
].flat()

/** The days of a period, or undefined if the word is no period. A week starts on day 1 (Monday) to 7 (Sunday). */
export function daysOf(period: unknown, { today, weekStart }: { today: Day; weekStart: number }): DayRange | undefined {
  const counted = countedDays(period)
  if (counted) {
    const { direction, days } = counted
    // The current day is one of them.
    const other = addDays(today, (days - 1) * (direction === 'last' ? -1 : 1))
    return direction === 'last' ? { first: other, last: today } : { first: today, last: other }
  }
  const near = nearDays.get(period)
  if (near !== undefined) return { first: addDays(today, near), last: addDays(today, near) }
  const [, which = '', unit = ''] = /^(this|last|next)_(week|month|quarter|year)$/.exec(String(period)) ?? []
  const shift = shifts.get(which)
  if (shift === undefined) return undefined
  if (unit === 'week') {
    const first = addDays(today, -((weekdayOf(today) - weekStart + 7) % 7) + shift * 7)
    return { first, last: addDays(first, 6) }
  }
  const months = monthsIn.get(unit) ?? 1
  const first = monthStart(today, -(monthOf(today) % months) + shift * months)
  return { first, last: addDays(monthStart(first, months), -1) }
}

const nearDays: ReadonlyMap<unknown, number> = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
])

const shifts: ReadonlyMap<string, number> = new Map([
  ['last', -1],
  ['this', 0],
  ['next', 1],
])

const monthsIn: ReadonlyMap<string, number> = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
])

/** Periods of so many days up to the current day, or from it on. */
export function countedDays(period: unknown): { direction: 'last' | 'next'; days: number } | undefined {
  const [, direction, count] = /^(last|next)_(\d{1,4})_days$/.exec(String(period)) ?? []
  const days = Number(count)
  if (!(days >= 1 && days <= PERIOD_DAYS_MAX)) return undefined
  return { direction: direction === 'last' ? 'last' : 'next', days }
}

/** In words: "Last 7 days". */
export function periodLabel(period: string): string {
  const words = period.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A calendar day such as `2026-11-14`. It has no time zone, so arithmetic on it is exact. */
export type Day = string

const DAY_MS = 86_400_000

const MINUTE_MS = 60_000

/** No time zone is further than this from UTC, not even while it changes its date. */
const FURTHEST_MS = 36 * 60 * MINUTE_MS

export function isDay(value: unknown): value is Day {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const date = utcOf(value)
  return !Number.isNaN(date.getTime()) && dayIn(date) === value
}

export function addDays(day: Day, days: number): Day {
  return dayIn(new Date(utcOf(day).getTime() + days * DAY_MS))
}

/** The first day of a month that is so many months away. */
function monthStart(day: Day, months: number): Day {
  const date = utcOf(day)
  return dayIn(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)))
}

/** From 0 for January. */
function monthOf(day: Day): number {
  return utcOf(day).getUTCMonth()
}

/** From 1 for Monday to 7 for Sunday. */
function weekdayOf(day: Day): number {
  return utcOf(day).getUTCDay() || 7
}

/** The day that a clock in the time zone shows at a moment. */
export function dayAt(moment: Date, timeZone: string): Day {
  const parts = new Map(
    clockIn(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

/**
 * The first moment of a day in a time zone. Usually that is midnight, but some clocks skip from midnight to one, and
 * others show midnight twice.
 */
export function startOfDay(day: Day, timeZone: string): Date {
  const middle = utcOf(day).getTime()
  let before = middle - FURTHEST_MS
  let from = middle + FURTHEST_MS
  while (from - before > MINUTE_MS) {
    const between = before + Math.floor((from - before) / MINUTE_MS / 2) * MINUTE_MS
    if (dayAt(new Date(between), timeZone) < day) before = between
    else from = between
  }
  return new Date(from)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const options = { timeZone, calendar: 'gregory', numberingSystem: 'latn' } as const
  const clock = new Intl.DateTimeFormat('en', { ...options, year: 'numeric', month: '2-digit', day: '2-digit' })
  clocks.set(timeZone, clock)
  return clock
}

function utcOf(day: Day): Date {
  return new Date(`${day}T00:00:00Z`)
}

function dayIn(date: Date): Day {
  return date.toISOString().slice(0, 10)
}
