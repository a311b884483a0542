import { PERIODS_MAX } from '@kith/contract/limits'
import type { Period } from '@kith/contract/summary'
import { type Sql, sql } from '../engines/sql.ts'

/** The smallest and the largest value: days (`2026-11-14`), or times (`2026-11-14T09:30:00.000Z`). */
export type Range = { smallest: string; largest: string }

/** Consecutive periods. From the value `from` of a start on, values belong to its period, until the next start. */
export type Periods = { ids: readonly string[]; starts: readonly { from: string; period: number }[] }

/**
 * The periods of all values in a range, or undefined if there are too many. A time belongs to the period of its day in
 * a time zone; days have none. SQL compares values with the starts, because SQLite knows no time zones.
 */
export function periodsIn(range: Range, period: Period, zone: string | null): Periods | undefined {
  const offsets = zone === null ? [dayOffset(range)] : offsetsIn(range, zone)
  const first = Math.min(...offsets.map(({ from, shift }) => from + shift))
  const last = Math.max(...offsets.map(({ to, shift }) => to + shift))
  const listed = listPeriods(dayAt(first), dayAt(last), period)
  if (!listed) return undefined
  const starts = startsIn(offsets, listed).map(({ at, period }) => {
    const moment = new Date(at).toISOString()
    return { from: zone === null ? moment.slice(0, 'YYYY-MM-DD'.length) : moment, period }
  })
  return { ids: listed.map(({ id }) => id), starts }
}

/** A stretch of time without a change of the clocks, in milliseconds: local times are `shift` ahead of UTC. */
type Offset = { from: number; to: number; shift: number }

function dayOffset({ smallest, largest }: Range): Offset {
  return { from: Date.parse(smallest), to: Date.parse(largest), shift: 0 }
}

function offsetsIn({ smallest, largest }: Range, zone: string): Offset[] {
  const offsets: Offset[] = []
  const end = Date.parse(largest)
  let from: number | undefined = Date.parse(smallest)
  while (from !== undefined) {
    const local: Temporal.ZonedDateTime = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
    const change = local.getTimeZoneTransition('next')?.epochMilliseconds
    const next = change !== undefined && change <= end ? change : undefined
    offsets.push({ from, to: next === undefined ? end : next - 1, shift: local.offsetNanoseconds / 1e6 })
    from = next
  }
  return offsets
}

function dayAt(local: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDate()
}

/** `begins`: the local time in milliseconds. */
type Listed = { id: string; begins: number }

function listPeriods(first: Temporal.PlainDate, last: Temporal.PlainDate, period: Period): Listed[] | undefined {
  const listed: Listed[] = []
  for (let day = startOf(first, period); Temporal.PlainDate.compare(day, last) <= 0; day = day.add(steps[period])) {
    if (listed.length === PERIODS_MAX) return undefined
    listed.push({ id: idOf(day, period), begins: day.toZonedDateTime('UTC').epochMilliseconds })
  }
  return listed
}

const steps: Readonly<Record<Period, Temporal.DurationLike>> = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
}

const MONTHS_IN_QUARTER = 3

function startOf(day: Temporal.PlainDate, period: Period): Temporal.PlainDate {
  switch (period) {
    case 'day':
      return day
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 })
    case 'month':
      return day.with({ day: 1 })
    case 'quarter':
      return day.with({ month: day.month - ((day.month - 1) % MONTHS_IN_QUARTER), day: 1 })
    case 'year':
      return day.with({ month: 1, day: 1 })
  }
}

function idOf(day: Temporal.PlainDate, period: Period): string {
  switch (period) {
    case 'day':
      return day.toString()
    case 'week':
      return `${yearId(day.yearOfWeek)}-W${String(day.weekOfYear).padStart(2, '0')}`
    case 'month':
      return day.toPlainYearMonth().toString()
    case 'quarter':
      return `${yearId(day.year)}-Q${Math.ceil(day.month / MONTHS_IN_QUARTER)}`
    case 'year':
      return yearId(day.year)
  }
}

function yearId(year: number | undefined): string {
  return String(year).padStart(4, '0')
}

/** Where periods begin in UTC. A day begins twice if the clocks are set back over midnight. */
function startsIn(offsets: readonly Offset[], listed: readonly Listed[]): { at: number; period: number }[] {
  const starts: { at: number; period: number }[] = []
  const begun = (period: number, local: number) => (listed[period]?.begins ?? Number.POSITIVE_INFINITY) <= local
  let period = 0
  for (const { from, to, shift } of offsets) {
    while (!begun(period, from + shift)) period--
    while (begun(period + 1, from + shift)) period++
    if (starts.at(-1)?.period !== period) starts.push({ at: from, period })
    while (begun(period + 1, to + shift)) {
      period++
      starts.push({ at: (listed[period]?.begins ?? 0) - shift, period })
    }
  }
  return starts
}

/** The key of a value in SQL: the number of its period; itself if it is no date and no time. */
export function keyWithin(periods: Periods | null | undefined): (value: Sql<unknown>) => Sql<unknown> {
  if (periods === undefined) return (value) => value
  if (!periods) return () => NO_PERIOD
  return (value) => sql`case when ${value} is null then ${NO_PERIOD} else ${lastStart(periods.starts, value)} end`
}

const NO_PERIOD = sql.raw('cast(null as integer)')

/** A binary search for the last start that is not after the value. */
function lastStart(starts: Periods['starts'], value: Sql<unknown>): Sql<unknown> {
  const middle = starts.length >> 1
  if (middle === 0) return sql.lit(starts[0]?.period ?? 0)
  const [before, after] = [starts.slice(0, middle), starts.slice(middle)]
  return sql`case when ${value} < ${after[0]?.from} then ${lastStart(before, value)} else ${lastStart(after, value)} end`
}
