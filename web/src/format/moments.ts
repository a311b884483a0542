const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const wholeDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' })

const DAY_MS = 86_400_000

/** A calendar day such as `2026-11-14`, which is the same day in every time zone. */
export function formatDay(value: string): string {
  return day.format(localMidnight(value))
}

export function formatDayExactly(value: string): string {
  return wholeDay.format(localMidnight(value))
}

/** From one calendar day to another: 11 – 17 Nov 2026. */
export function formatDays(first: string, last: string): string {
  return day.formatRange(localMidnight(first), localMidnight(last))
}

/** A moment in the reader's locale and time zone. */
export function formatMoment(value: string): string {
  return dayAndTime.format(new Date(value))
}

/** The exact value, for a tooltip: in the format of the reader, and as the API returns it. */
export function formatMomentExactly(value: string): string {
  return `${exact.format(new Date(value))}\n${value}`
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', DAY_MS],
]

/** How long ago, for the last week; the day for what is older. */
export function formatAgo(value: string, now: Date = new Date()): string {
  const passed = new Date(value).getTime() - now.getTime()
  const distance = Math.abs(passed)
  if (distance < 60_000) return 'just now'
  if (distance >= 7 * DAY_MS) {
    const moment = new Date(value)
    return moment.getFullYear() === now.getFullYear() ? shortDay.format(moment) : day.format(moment)
  }
  const [unit, ms] = steps.findLast(([, ms]) => distance >= ms) ?? ['minute', 60_000]
  return relative.format(Math.trunc(passed / ms), unit)
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
