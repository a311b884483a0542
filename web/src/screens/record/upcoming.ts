import { fieldTypes } from '@kith/contract/field-types'
import type { ApiRecord } from '../../api/records.ts'
import { textIn } from '../../fields/values.ts'
import { dayIn, toLocalDay } from '../../format/moments.ts'
import type { Property } from '../../properties/property.ts'
import { DUE_DATE } from '../../properties/task-state.ts'

/** A date that lies ahead: of a record itself, or of one that belongs to it. */
export type Coming = { day: string; label: string; record: ApiRecord }

type Dated = { records: readonly ApiRecord[]; properties: readonly Property[] }

/** How many are shown. */
const SHOWN = 8

/** The next dates in the date fields of records, and the days on which tasks are due. */
export function comingDates(all: readonly Dated[], now = new Date()): Coming[] {
  const today = toLocalDay(now.toISOString())
  const found = all.flatMap(({ records, properties }) => records.flatMap((record) => datesOf(record, properties)))
  const ahead = found.filter(({ day }) => day >= today)
  return ahead.toSorted((one, other) => (one.day < other.day ? -1 : 1)).slice(0, SHOWN)
}

function datesOf(record: ApiRecord, properties: readonly Property[]): Coming[] {
  const { custom_fields } = record.attributes
  if (record.type === 'tasks' && properties.length === 0) {
    const due = textIn(custom_fields[DUE_DATE])
    return due === '' ? [] : [{ day: toLocalDay(due), label: 'Due', record }]
  }
  return properties.flatMap((property) => {
    if (property.kind !== 'custom') return []
    const { type, code, name } = property.field
    const value = fieldTypes[type].isTime ? textIn(custom_fields[code]) : ''
    return value === '' ? [] : [{ day: dayIn(value), label: name, record }]
  })
}
