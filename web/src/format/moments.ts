import { dayAndTimeFormat, dayFormat, daysFormat, shortDayFormat, timeFormat } from './dates.ts'
import { made } from './formats.ts'

const exact = made(({ hours }) => {
  const cycle = hours === 'auto' ? {} : ({ hourCycle: hours === '12' ? 'h12' : 'h23' } as const)
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long', ...cycle })
})
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const month = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'long' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
// Words are in the language of the application, such as "just now". Numbers and dates are in the format of the reader.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })

const DAY_MS = 86_400_000

/** A calendar day such as `2026-11-14`, which is the same day in every time zone. */
export function formatDay(value: string): string {
  return dayFormat()(localMidnight(value))
}

export function formatDayExactly(value: string): string {
  return wholeDay.format(localMidnight(value))
}

/** From one calendar day to another: 11 – 17 Nov 2026. */
export function formatDays(first: string, last: string): string {
  return daysFormat()(localMidnight(first), localMidnight(last))
}

/** A moment in the reader's locale and time zone. */
export function formatMoment(value: string): string {
  return dayAndTimeFormat()(new Date(value))
}

/** Hours and minutes of a moment, by the reader's clock. */
export function formatTime(value: string): string {
  return timeFormat()(new Date(value))
}

/** The exact value, for a tooltip: in the format of the reader, and as the API returns it. */
export function formatMomentExactly(value: string): string {
  return `${exact().format(new Date(value))}\n${value}`
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', DAY_MS],
]

/** How long ago, for the last week; before that, the day. */
export function formatAgo(value: string, now: Date = new Date()): string {
  const passed = new Date(value).getTime() - now.getTime()
  const distance = Math.abs(passed)
  if (distance < 60_000) return 'just now'
  if (distance >= 7 * DAY_MS) {
    const moment = new Date(value)
    return formatNear(moment, now)
  }
  const [unit, ms] = steps.findLast(([, ms]) => distance >= ms) ?? ['minute', 60_000]
  return relative.format(Math.trunc(passed / ms), unit)
}

/** A moment that something is due: the day in words if it is near, with the time of the day. */
export function formatDue(value: string, now: Date = new Date()): string {
  return `${formatDayNear(toLocalDay(value), now)}, ${formatTime(value)}`
}

/** A calendar day, in words if it is yesterday, today or tomorrow, and without the year if it is this year. */
export function formatDayNear(value: string, now: Date = new Date()): string {
  const days = daysBetween(toLocalDay(now.toISOString()), value)
  if (Math.abs(days) <= 1) return capitalized(relative.format(days, 'day'))
  return formatNear(localMidnight(value), now)
}

/** The day of a moment to come, with the day of the week: Tue 24 Nov. */
export function formatDayToCome(value: string, now: Date = new Date()): string {
  const day = dayIn(value)
  const isNear = daysBetween(toLocalDay(now.toISOString()), day) <= 1
  return isNear ? formatDayNear(day, now) : `${formatWeekday(day)} ${formatDayNear(day, now)}`
}

function formatNear(moment: Date, now: Date): string {
  return moment.getFullYear() === now.getFullYear() ? shortDayFormat()(moment) : dayFormat()(moment)
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The calendar day of a value that is a day or a moment. */
export function dayIn(value: string): string {
  return value.length === 10 ? value : toLocalDay(value)
}

/** The month that a day is in. */
export function formatMonth(value: string): string {
  return month.format(localMidnight(value))
}

export function formatWeekday(value: string): string {
  return weekday.format(localMidnight(value))
}

/** The reader's calendar day of a moment. */
export function toLocalDay(value: string): string {
  return toLocalInput(value).slice(0, 10)
}

/** The form that an input of type `datetime-local` takes: the reader's own clock. */
export function toLocalInput(value: string): string {
  const moment = new Date(value)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function fromLocalInput(value: string): string {
  return new Date(value).toISOString()
}

function localMidnight(value: string): Date {
  return new Date(`${value}T00:00:00`)
}
