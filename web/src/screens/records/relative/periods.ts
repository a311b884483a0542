import { addDays, type Day, monthOf, monthStart, weekdayOf } from './days.ts'

/** The days of a period, both included. */
export type DayRange = { first: Day; last: Day }

/** What a period depends on: the current day, and the first day of a week (1 is Monday, 7 is Sunday). */
type Calendar = { today: Day; weekStart: number }

/** Everything before now. */
export const OVERDUE = 'overdue'

export const PERIOD_DAYS_MAX = 3650

/** The periods that are offered, in their order. `last_45_days` and the like exist as well. */
export const offeredPeriods: readonly string[] = [
  ...['today', 'yesterday', 'tomorrow'],
  ...['last_7_days', 'last_30_days', 'last_90_days', 'next_7_days', 'next_30_days', 'next_90_days'],
  ...['week', 'month', 'quarter', 'year'].flatMap((unit) => [`this_${unit}`, `last_${unit}`, `next_${unit}`]),
]

/** The days that a period means. Undefined for words that are no period. */
export function daysOf(period: unknown, { today, weekStart }: Calendar): DayRange | undefined {
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
