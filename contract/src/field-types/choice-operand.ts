import type { FieldDefinition } from '../field-definition.ts'
import type { Operator, Test } from '../filter.ts'
import type { Report } from '../issue.ts'
import { parseChoice } from './choice.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'

export function choiceListTest(
  operator: Operator,
  raw: unknown,
  field: FieldDefinition,
  path: string,
  report: Report,
  loose: boolean,
): Test | undefined {
  const bare = loose ? 'joined by commas' : 'refused'
  const keys = parseOperandList(raw, bare, { name: field.name, path, report }, (item, itemPath) =>
    parseChoiceOperand(item, field, itemPath, report),
  )
  return keys && { test: operator === '$in' || operator === '$has_any' ? 'any' : 'none', keys }
}

export function parseChoiceOperand(
  raw: unknown,
  field: FieldDefinition,
  path: string,
  report: Report,
): string | undefined {
  if (typeof raw === 'string' && parseOperandText(raw, field.name, path, report) === undefined) return undefined
  return parseChoice(raw, field, path, report)
}
