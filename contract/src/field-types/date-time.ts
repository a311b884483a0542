import { comparisons } from '../bounds.ts'
import type { FieldType } from '../field-type.ts'
import { MOMENT_FORMS, momentTest, parseMoment } from '../moment.ts'
import { isBlank } from './blank.ts'

export const dateTime: FieldType = {
  name: 'date-time',
  kind: 'DateTime',
  list: false,
  sortable: true,
  canBeUnique: false,
  textLike: false,
  operators: [...comparisons, '$is_empty'],
  valueKey: 'match_key',
  isTime: true,
  groupedBy: 'time',
  example: () => ({ value: '2026-11-14T09:30:00Z', filter: { $gte: '2026-11-14' } }),
  parse(raw, { field, path, report }) {
    if (isBlank(raw)) return null
    const moment = typeof raw === 'string' ? parseMoment(raw) : undefined
    if (moment === undefined) report(path, `The ${field.name} must be ${MOMENT_FORMS}.`)
    return moment
  },
  present(stored) {
    return stored
  },
  index(stored) {
    return typeof stored === 'string' ? [{ match_key: stored, number_key: null, host_key: null, exact: null }] : []
  },
  searchText: () => null,
  operand: momentTest,
}
