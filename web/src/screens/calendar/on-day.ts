import type { Field } from '../../api/fields.ts'
import type { ApiRecord } from '../../api/records.ts'
import { textIn } from '../../fields/values.ts'
import { dayIn, fromLocalInput, toLocalInput } from '../../format/moments.ts'

/** The time at which something new is placed on a day. */
const MORNING = '09:00'

/** The reader's day on which a record is; undefined without a date. */
export function dayOf(record: ApiRecord, { code }: Field): string | undefined {
  const value = textIn(record.attributes.custom_fields[code])
  return value === '' ? undefined : dayIn(value)
}

/** The value of a field on another day: a moment keeps its time. */
export function valueOn(day: string, { type }: Field, before = ''): string {
  if (type === 'date') return day
  const time = before === '' ? MORNING : toLocalInput(before).slice(11)
  return fromLocalInput(`${day}T${time}`)
}

/** A filter for the records from the first day of the reader until before another one. */
export function betweenDays({ code, type }: Field, first: string, after: string): Record<string, unknown> {
  const [start, end] = type === 'date' ? [first, after] : [midnight(first), midnight(after)]
  return { custom_fields: { [code]: { $gte: start, $lt: end } } }
}

function midnight(day: string): string {
  return fromLocalInput(`${day}T00:00`)
}
