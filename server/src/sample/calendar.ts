import { DAY_MS, HOUR_MS } from '@kith/contract/limits'

const YEAR_DAYS = 365
const DAY_STARTS = 8
const DAY_HOURS = 9

/** Working hours: Monday to Friday from 8 to 17 o'clock UTC. */
export type Calendar = {
  /** The start of today. Everything that has happened is before it. */
  today: number
  /** A working time of the last year, later for a larger fraction. Fractions are from 0 up to but not including 1. */
  at(fraction: number): number
}

export function calendarUntil(today: number): Calendar {
  const days = Array.from({ length: YEAR_DAYS }, (_, index) => today - (YEAR_DAYS - index) * DAY_MS).filter(isWorkday)
  return {
    today,
    at(fraction) {
      const place = fraction * days.length
      const day = days[Math.floor(place)] ?? today
      return Math.floor(day + (DAY_STARTS + (place % 1) * DAY_HOURS) * HOUR_MS)
    },
  }
}

function isWorkday(at: number): boolean {
  const weekday = new Date(at).getUTCDay()
  return weekday > 0 && weekday < 6
}

/** The start of a working day: so many days later or, for a negative number, earlier. Weekends are skipped. */
export function workday(at: number, days: number): number {
  let day = Math.floor(at / DAY_MS + days) * DAY_MS
  while (!isWorkday(day)) day += days < 0 ? -DAY_MS : DAY_MS
  return day
}

/** A full or half hour of a working day. The fraction is from 0 up to but not including 1. */
export function appointment(day: number, fraction: number): number {
  return day + (DAY_STARTS + Math.floor(fraction * DAY_HOURS * 2) / 2) * HOUR_MS
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
