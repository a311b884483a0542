import type { FieldType } from '../field-type.ts'
import { isBlank } from './blank.ts'
import { choiceOf, parseChoice } from './choice.ts'
import { choiceListTest, parseChoiceOperand } from './choice-operand.ts'

export const radio: FieldType = singleChoice('radio')
export const toggleButtons: FieldType = singleChoice('toggle-buttons')
export const select: FieldType = singleChoice('select')

function singleChoice(name: 'radio' | 'toggle-buttons' | 'select'): FieldType {
  return {
    name,
    list: false,
    sortable: true,
    canBeUnique: false,
    textLike: false,
    operators: ['$eq', '$in', '$not_in', '$is_empty'],
    hosts: false,
    chooses: true,
    parse(raw, field, path, report) {
      return isBlank(raw) ? null : parseChoice(raw, field, path, report)
    },
    present(stored, field) {
      return (typeof stored === 'string' && choiceOf(stored, field)?.wire) || null
    },
    // The number is the option's place among its siblings, by which records sort.
    index(stored, field) {
      const choice = typeof stored === 'string' ? choiceOf(stored, field) : undefined
      if (choice === undefined) return []
      return [{ match_key: choice.wire.id, number_key: choice.position, host_key: null, exact: null }]
    },
    searchText: () => null,
    operand(operator, raw, field, path, report, loose) {
      if (operator !== '$eq') return choiceListTest(operator, raw, field, path, report, loose)
      const id = parseChoiceOperand(raw, field, path, report)
      return id === undefined ? undefined : { test: 'any', keys: [id] }
    },
  }
}
