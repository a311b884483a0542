import type { FieldType, IndexEntry } from '../field-type.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'
import { type ListRules, type ParseValue, parseValueList, valuesOf } from './value-list.ts'

/** What makes one kind of list different from the others that are compared by a match key alone. */
export type Kind = {
  name: 'email' | 'phone' | 'link' | 'domain'
  parseValue: ParseValue
  matchKey(value: string): string
  /** The host by which the `domain` sub-field finds a value, where that can be asked. */
  hostKey?(value: string): string | null
  /** The match key of what a filter looks for, where that need not be a valid value. */
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
    list: true,
    sortable: false,
    canBeUnique: true,
    textLike: true,
    operators: ['$has_any', '$has_none', '$is_empty'],
    hosts: kind.hostKey !== undefined,
    chooses: false,
    parse(raw, field, path, report) {
      return parseValueList(raw, rules, field, path, report)
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
    operand(operator, raw, field, path, report, loose) {
      const bare = loose ? 'one value' : 'refused'
      const keys = parseOperandList(raw, bare, { name: field.name, path, report }, (item, itemPath) => {
        const text = parseOperandText(item, field.name, itemPath, report)
        if (text === undefined) return undefined
        if (kind.operandKey) return kind.operandKey(text)
        const value = kind.parseValue(text, field, itemPath, report)
        return value === undefined ? undefined : kind.matchKey(value)
      })
      return keys && { test: operator === '$has_any' ? 'any' : 'none', keys }
    },
  }
}
