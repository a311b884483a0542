import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType, StoredValue } from '../field-type.ts'
import { OPTIONS_MAX } from '../limits.ts'
import { isBlank } from './blank.ts'
import { type Choice, choiceOf, exampleLabel, parseChoice } from './choice.ts'
import { choiceListTest } from './choice-operand.ts'
import { valuesOf } from './value-list.ts'

export const checkboxList: FieldType = multiChoice('checkbox-list')
export const multiSelect: FieldType = multiChoice('multi-select')

function multiChoice(name: 'checkbox-list' | 'multi-select'): FieldType {
  return {
    name,
    kind: 'Choices',
    list: true,
    sortable: false,
    canBeUnique: false,
    textLike: false,
    operators: ['$has_any', '$has_none', '$is_empty'],
    valueKey: 'match_key',
    hasOptions: true,
    groupedBy: 'choice',
    example({ options }) {
      const label = exampleLabel(options)
      return { value: [label], filter: { $has_any: [label] } }
    },
    parse(raw, place) {
      if (isBlank(raw)) return null
      const { field, path, report } = place
      if (!Array.isArray(raw)) {
        report(path, `The ${field.name} must be a list of labels or IDs of options.`)
        return undefined
      }
      // A longer list has duplicates or unknown options. The limit keeps the response short.
      if (raw.length > OPTIONS_MAX) {
        report(path, `The ${field.name} must not have more than ${OPTIONS_MAX} values.`)
        return undefined
      }
      const ids = raw.map((item, index) => parseChoice(item, { ...place, path: `${path}.${index}` }))
      const chosen = new Set(ids)
      if (chosen.size === 0) return null
      return everyKnown([...chosen])
    },
    present(stored, field) {
      return choicesIn(stored, field)
    },
    index(stored, field) {
      return choicesIn(stored, field).map((choice) => ({
        match_key: choice.id,
        number_key: null,
        host_key: null,
        exact: null,
      }))
    },
    searchText: () => null,
    operand: choiceListTest,
  }
}

function everyKnown(ids: readonly (string | undefined)[]): string[] | undefined {
  const known = ids.filter((id) => id !== undefined)
  return known.length === ids.length ? known : undefined
}

function choicesIn(stored: StoredValue, field: FieldDefinition): Choice[] {
  const choices: Choice[] = []
  for (const id of valuesOf(stored)) {
    const choice = choiceOf(id, field)
    if (choice !== undefined) choices.push(choice)
  }
  return choices
}
