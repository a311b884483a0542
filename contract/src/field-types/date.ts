import { boundsOf, comparisons } from '../bounds.ts'
import type { FieldType } from '../field-type.ts'
import { MOMENT_FORMS, parseDay, parseMoment } from '../moment.ts'
import { isBlank } from './blank.ts'

export const date: FieldType = {
  name: 'date',
  kind: 'Date',
  list: false,
  sortable: true,
  canBeUnique: false,
  textLike: false,
  operators: [...comparisons, '$is_empty'],
  valueKey: 'match_key',
  isTime: true,
  groupedBy: 'day',
  example: () => ({ value: '2026-11-14', filter: { $lte: '2026-12-31' } }),
  parse(raw, { field, path, report }) {
    if (isBlank(raw)) return null
    const day = typeof raw === 'string' ? parseDay(raw) : undefined
    if (day === undefined) report(path, `The ${field.name} must be a date of the calendar such as 2026-11-14.`)
    return day
  },
  present(stored) {
    return stored
  },
  index(stored) {
    return typeof stored === 'string' ? [{ match_key: stored, number_key: null, host_key: null, exact: null }] : []
  },
  searchText: () => null,
  operand(operator, raw, { field, path, report }) {
    const day = typeof raw === 'string' ? parseMoment(raw)?.slice(0, 10) : undefined
    if (day !== undefined) return { test: 'range', bounds: boundsOf(operator, day) }
    report(path, `The ${field.name} must be ${MOMENT_FORMS}.`)
    return undefined
  },
}
