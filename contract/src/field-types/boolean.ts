import type { FieldType } from '../field-type.ts'
import { isBlank } from './blank.ts'

export const checkbox: FieldType = boolean('checkbox')
export const toggle: FieldType = boolean('toggle')

function boolean(name: 'checkbox' | 'toggle'): FieldType {
  return {
    name,
    kind: 'Boolean',
    list: false,
    sortable: true,
    canBeUnique: false,
    textLike: false,
    operators: ['$eq', '$is_empty'],
    valueKey: 'match_key',
    groupedBy: 'flag',
    samples: [true, false, false],
    example: () => ({ value: true, filter: { $eq: true } }),
    parse(raw, { field, path, report }) {
      if (isBlank(raw)) return null
      if (typeof raw === 'boolean') return raw
      report(path, `The ${field.name} must be true or false.`)
      return undefined
    },
    present(stored) {
      return stored
    },
    index(stored) {
      if (typeof stored !== 'boolean') return []
      return [{ match_key: String(stored), number_key: null, host_key: null, exact: null }]
    },
    orderedKeys: () => ['false', 'true'],
    searchText: () => null,
    operand(_operator, raw, { field, path, report, loose }) {
      const sought = loose ? booleanIn(raw) : raw
      if (typeof sought === 'boolean') return { test: 'any', keys: [String(sought)] }
      report(path, `The ${field.name} must be true or false${loose ? ' (or 1 or 0)' : ''}.`)
      return undefined
    },
  }
}

function booleanIn(raw: unknown): unknown {
  if (raw === 'true' || raw === '1') return true
  if (raw === 'false' || raw === '0') return false
  return raw
}
