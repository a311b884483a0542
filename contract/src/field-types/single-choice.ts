import type { FieldType } from '../field-type.ts'
import { isBlank } from './blank.ts'
import { choiceOf, exampleLabel, heldOptions, parseChoice } from './choice.ts'
import { choiceListTest, parseChoiceOperand } from './choice-operand.ts'

export const radio: FieldType = singleChoice('radio')
export const toggleButtons: FieldType = singleChoice('toggle-buttons')
export const select: FieldType = singleChoice('select')

function singleChoice(name: 'radio' | 'toggle-buttons' | 'select'): FieldType {
  return {
    name,
    kind: 'Choice',
    list: false,
    sortable: true,
    canBeUnique: false,
    textLike: false,
    operators: ['$eq', '$in', '$not_in', '$is_empty'],
    valueKey: 'match_key',
    hasOptions: true,
    groupedBy: 'choice',
    example({ options }) {
      const label = exampleLabel(options)
      return { value: label, filter: { $in: [label] } }
    },
    parse(raw, place) {
      return isBlank(raw) ? null : parseChoice(raw, place)
    },
    present(stored, field) {
      return (typeof stored === 'string' && choiceOf(stored, field)) || null
    },
    index(stored, field) {
      const choice = typeof stored === 'string' ? choiceOf(stored, field) : undefined
      return choice ? [{ match_key: choice.id, number_key: null, host_key: null, exact: null }] : []
    },
    orderedKeys: (field) => heldOptions(field).map((option) => option.id),
    searchText: () => null,
    operand(operator, raw, place) {
      if (operator !== '$eq') return choiceListTest(operator, raw, place)
      const id = parseChoiceOperand(raw, place)
      return id === undefined ? undefined : { test: 'any', keys: [id] }
    },
  }
}
