/** Days are written as `2026-11-14`. They are calculated in UTC, where every day has 24 hours. */

const DAY_MS = 86_400_000

export type Span = 'month' | 'week'

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The same day of another month, or its last one. */
export function addMonths(day: string, months: number): string {
  const date = new Date(day)
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(date.getUTCDate(), last))
  return first.toISOString().slice(0, 10)
}

/** The first day of the week that a day is in. */
function weekStart(day: string, firstDay: number): string {
  return addDays(day, -((new Date(day).getUTCDay() - firstDay + 7) % 7))
}

type CalendarRange = { span: Span; day: string; firstDay: number }

/** The days on the screen: a week, or all weeks of a month. */
export function daysShown({ span, day, firstDay }: CalendarRange): string[] {
  if (span === 'week') return run(weekStart(day, firstDay), 7)
  const first = `${day.slice(0, 7)}-01`
  const start = weekStart(first, firstDay)
  const next = addMonths(first, 1)
  const weeks = Math.ceil((Date.parse(next) - Date.parse(start)) / DAY_MS / 7)
  return run(start, weeks * 7)
}

/** A day of the next or the previous month or week. */
export function stepped({ span, day }: Pick<CalendarRange, 'span' | 'day'>, step: 1 | -1): string {
  return span === 'week' ? addDays(day, 7 * step) : addMonths(day, step)
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

function run(start: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(start, index))
}
