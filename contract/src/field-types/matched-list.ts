import type { FieldType, IndexEntry, Place } from '../field-type.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'
import { type ListRules, type ParseValue, parseValueList, valuesOf } from './value-list.ts'

/** How one type of list differs from the others that are compared by a match key alone. */
type Kind = Pick<FieldType, 'name' | 'kind' | 'hosts' | 'searched' | 'alikeBy'> & {
  /** One valid value, and how a filter may write it. */
  example: { value: string; sought?: string }
  parseValue: ParseValue
  matchKey(value: string): string
  /** The host by which the `domain` sub-field finds a value. */
  hostKey?(value: string): string | null
  /** The match key of a filter operand, where that need not be a valid value. */
  operandKey?(text: string): string
}

export function matchedList(kind: Kind): FieldType {
  const rules: ListRules = {
    parseValue: kind.parseValue,
    keyOf: kind.matchKey,
    most: (field) => (field.multiple ? field.max_values : 1),
  }
  return {
    name: kind.name,
    kind: kind.kind,
    list: true,
    repeatable: 'optional',
    sortable: false,
    canBeUnique: true,
    textLike: true,
    operators: ['$has_any', '$has_none', '$is_empty'],
    valueKey: 'match_key',
    hosts: kind.hosts,
    alikeBy: kind.alikeBy,
    searched: kind.searched,
    example() {
      const { value, sought = value } = kind.example
      return { value: [value], filter: { $has_any: [sought] } }
    },
    parse(raw, place) {
      return parseValueList(raw, rules, place)
    },
    present(stored) {
      return stored
    },
    index(stored) {
      return valuesOf(stored).map(
        (value): IndexEntry => ({
          match_key: kind.matchKey(value),
          number_key: null,
          host_key: kind.hostKey?.(value) ?? null,
          exact: null,
        }),
      )
    },
    searchText: () => null,
    operand(operator, raw, { field, path, report, loose }) {
      const bare = loose ? 'one value' : 'refused'
      const list = { name: field.name, path, report, bare } as const
      const keys = parseOperandList(raw, list, (item, itemPath) =>
        operandKey(kind, item, { field, path: itemPath, report }),
      )
      return keys && { test: operator === '$has_any' ? 'any' : 'none', keys }
    },
  }
}

function operandKey(kind: Kind, raw: unknown, place: Place): string | undefined {
  const text = parseOperandText(raw, { ...place, name: place.field.name })
  if (text === undefined) return undefined
  if (kind.operandKey) return kind.operandKey(text)
  const value = kind.parseValue(text, place)
  return value === undefined ? undefined : kind.matchKey(value)
}
