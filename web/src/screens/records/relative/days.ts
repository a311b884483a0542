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
export function monthStart(day: Day, months: number): Day {
  const date = utcOf(day)
  return dayIn(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)))
}

/** From 0 for January. */
export function monthOf(day: Day): number {
  return utcOf(day).getUTCMonth()
}

/** From 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: Day): number {
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
