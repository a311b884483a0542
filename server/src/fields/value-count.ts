import type { FieldTypeName } from '@kith/contract/field-type'
import type { Report } from '@kith/contract/issue'
import { OPTIONS_MAX, VALUES_DEFAULT, VALUES_MAX } from '@kith/contract/limits'
import { parseFlag, parseWhole } from './attributes.ts'
import { hasOptions, isRepeatable, isSingleChoice, typesThat } from './field-types.ts'
import { type Sent, taken } from './sent.ts'

/** How many values a record may hold of a field. */
export type ValueCount = { multiple: boolean; max_values: number }

/** Reads `multiple` and `max_values`, which depend on each other and on the type. */
export function parseValueCount(sent: Sent, type: FieldTypeName, before: ValueCount, report: Report): ValueCount {
  const usual = usualCount(type)
  const multiple = taken(sent, 'multiple', before.multiple, (raw) => parseMultiple(raw, type, report))
  if (type !== 'tags-input' && !(isRepeatable(type) && multiple)) {
    if (sent.has('max_values')) checkFixed(sent.get('max_values'), type, usual.max_values, report)
    return { multiple, max_values: usual.max_values }
  }
  const limit = before.multiple ? before.max_values : VALUES_DEFAULT
  const max_values = taken(sent, 'max_values', limit, (raw) =>
    raw === null ? VALUES_DEFAULT : parseWhole(raw, { key: 'max_values', from: 1, to: VALUES_MAX }, report),
  )
  return { multiple, max_values }
}

/** Where nothing was said: one value, except for the types that are lists by nature. */
export function usualCount(type: FieldTypeName): ValueCount {
  if (type === 'tags-input') return { multiple: true, max_values: VALUES_DEFAULT }
  // A list of choices ends where the options do.
  if (hasOptions(type) && !isSingleChoice(type)) return { multiple: true, max_values: OPTIONS_MAX }
  return { multiple: false, max_values: 1 }
}

function parseMultiple(raw: unknown, type: FieldTypeName, report: Report): boolean | undefined {
  const usual = usualCount(type).multiple
  if (raw === null) return usual
  const multiple = parseFlag(raw, 'multiple', report)
  if (multiple === undefined || multiple === usual || isRepeatable(type)) return multiple
  const always = usual ? 'always takes several values' : 'takes one value'
  report('multiple', `A ${type} field ${always}. Types with a choice: ${typesThat(isRepeatable)}.`)
  return undefined
}

function checkFixed(raw: unknown, type: FieldTypeName, fixed: number, report: Report): void {
  if (raw === null || raw === fixed) return
  if (isRepeatable(type)) report('max_values', 'The max_values must be 1 unless the field is multiple.')
  else report('max_values', `The max_values of a ${type} field is always ${fixed}.`)
}
