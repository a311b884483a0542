import type { RepeatRule } from '@kith/contract/app/task-plan'

/** A rule in the time zone of the member who set it. `anchor` is null until the first task of a series is completed. */
export type Repeat = RepeatRule & { time_zone: string; anchor: string | null }

/** Without a due date, the next task is due in the morning. */
const MORNING = Temporal.PlainTime.from('09:00')

/** Later times cannot be stored. A time zone may be ahead. */
const LAST_YEAR = 9998

/** The day after so many steps of a rule. */
type Step = (count: number) => Temporal.PlainDate

/**
 * When the next task of a series is due: by the wall clock of the time zone, and always after the completion. Steps
 * that are over by then are skipped. Returns also what the series aims at from now on, or nothing at the end of time.
 */
export function nextDue(repeat: Repeat, { due, completed }: { due: string | null; completed: Date }) {
  const zone = repeat.time_zone
  const now = Temporal.Instant.fromEpochMilliseconds(completed.getTime()).toZonedDateTimeISO(zone)
  const last = due === null ? undefined : Temporal.Instant.from(due).toZonedDateTimeISO(zone)
  const aim = last ? aimOf(repeat.anchor, last) : { day: now.day, time: MORNING }
  const isFromDue = last !== undefined && !repeat.after_completion
  const from = (isFromDue ? last : now).toPlainDate()
  const day = isFromDue ? aim.day : now.day
  const step = stepOf(repeat, from, day)
  const at = (count: number) => step(count).toZonedDateTime({ timeZone: zone, plainTime: aim.time })
  let count = Math.max(1, countOf(repeat, from, now.toPlainDate()))
  while (Temporal.ZonedDateTime.compare(at(count), now) <= 0) count++
  const next = at(count)
  if (next.year > LAST_YEAR) return undefined
  return { due: new Date(next.epochMilliseconds).toISOString(), anchor: `${day} ${aim.time.toString()}` }
}

/**
 * The day of the month and the time that a series aims at. A short month and a change of the clock move a due date, but
 * not the aim. A member who moves a due date also moves the aim.
 */
function aimOf(anchor: string | null, due: Temporal.ZonedDateTime): { day: number; time: Temporal.PlainTime } {
  if (anchor === null) return { day: due.day, time: due.toPlainTime() }
  const [day = '', text = ''] = anchor.split(' ')
  const wanted = Temporal.PlainTime.from(text)
  const time = due.toPlainDate().toZonedDateTime({ timeZone: due.timeZoneId, plainTime: wanted }).toPlainTime()
  return {
    day: Math.min(Number(day), due.daysInMonth) === due.day ? Number(day) : due.day,
    time: time.equals(due.toPlainTime()) ? wanted : due.toPlainTime(),
  }
}

function stepOf({ unit, every }: Repeat, from: Temporal.PlainDate, day: number): Step {
  switch (unit) {
    case 'day':
      return (count) => from.add({ days: count * every })
    case 'week':
      return (count) => from.add({ weeks: count * every })
    case 'month':
      return (count) => {
        const month = from.toPlainYearMonth().add({ months: count * every })
        return month.toPlainDate({ day: Math.min(day, month.daysInMonth) })
      }
    case 'weekday':
      return (count) => weekdaysAfter(from, count * every)
  }
}

/** Five weekdays are a week. A day of the weekend counts like the Friday before. */
function weekdaysAfter(from: Temporal.PlainDate, count: number): Temporal.PlainDate {
  const start = Math.min(from.dayOfWeek, 5)
  const monday = from.subtract({ days: from.dayOfWeek - 1 })
  const place = start - 1 + count
  return monday.add({ weeks: Math.floor(place / 5), days: place % 5 })
}

/** At most how many steps end before a day. */
function countOf({ unit, every }: Repeat, from: Temporal.PlainDate, until: Temporal.PlainDate): number {
  const days = from.until(until).days
  const inUnits = { day: days, weekday: (days / 7) * 5 - 5, week: days / 7, month: days / 31 - 1 }[unit]
  return Math.floor(inUnits / every)
}
