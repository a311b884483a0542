import type { OperandPlace, Place } from '../field-type.ts'
import type { Test } from '../filter.ts'
import type { Operator } from '../operators.ts'
import { parseChoice } from './choice.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'

export function choiceListTest(operator: Operator, raw: unknown, place: OperandPlace): Test | undefined {
  const bare = place.loose ? 'joined by commas' : 'refused'
  const keys = parseOperandList(raw, { ...place, name: place.field.name, bare }, (item, path) =>
    parseChoiceOperand(item, { ...place, path }),
  )
  return keys && { test: operator === '$in' || operator === '$has_any' ? 'any' : 'none', keys }
}

export function parseChoiceOperand(raw: unknown, place: Place): string | undefined {
  const name = place.field.name
  if (typeof raw === 'string' && parseOperandText(raw, { ...place, name }) === undefined) return undefined
  return parseChoice(raw, place)
}
