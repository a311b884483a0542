import type { FieldType } from '@kith/contract/field-type'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import type { Report } from '@kith/contract/issue'
import { OPTIONS_MAX, VALUES_DEFAULT, VALUES_MAX } from '@kith/contract/limits'
import { parseFlag, parseWhole } from './attributes.ts'
import { typesThat } from './field-types.ts'
import { type Sent, taken } from './sent.ts'

/** How many values a record may hold of a field. */
type ValueCount = { multiple: boolean; max_values: number }

/** Reads `multiple` and `max_values`, which depend on each other and on the type. */
export function parseValueCount(
  sent: Sent,
  { type, before }: { type: FieldTypeName; before: ValueCount },
  report: Report,
): ValueCount {
  const { repeatable } = fieldTypes[type]
  const multiple = taken({ sent, key: 'multiple', before: before.multiple }, (raw) => parseMultiple(raw, type, report))
  if (!repeatable || !multiple) {
    if (sent.has('max_values')) checkFixed(sent.get('max_values'), type, report)
    return { multiple, max_values: usualCount(type).max_values }
  }
  const limit = before.multiple ? before.max_values : VALUES_DEFAULT
  const max_values = taken({ sent, key: 'max_values', before: limit }, (raw) =>
    raw === null ? VALUES_DEFAULT : parseWhole(raw, { key: 'max_values', from: 1, to: VALUES_MAX }, report),
  )
  return { multiple, max_values }
}

/** The default: one value, except for the types that are always lists. */
export function usualCount(type: FieldTypeName): ValueCount {
  const { list, hasOptions, repeatable } = fieldTypes[type]
  if (!list || repeatable === 'optional') return { multiple: false, max_values: 1 }
  // A list of choices can hold every option.
  return { multiple: true, max_values: hasOptions ? OPTIONS_MAX : VALUES_DEFAULT }
}

function parseMultiple(raw: unknown, type: FieldTypeName, report: Report): boolean | undefined {
  const usual = usualCount(type).multiple
  if (raw === null) return usual
  const multiple = parseFlag(raw, 'multiple', report)
  if (multiple === undefined || multiple === usual || isOptional(fieldTypes[type])) return multiple
  const always = usual ? 'always takes several values' : 'takes one value'
  report('multiple', `A ${type} field ${always}. Types with a choice: ${typesThat(isOptional)}.`)
  return undefined
}

function isOptional({ repeatable }: FieldType): boolean {
  return repeatable === 'optional'
}

function checkFixed(raw: unknown, type: FieldTypeName, report: Report): void {
  const fixed = usualCount(type).max_values
  if (raw === null || raw === fixed) return
  if (isOptional(fieldTypes[type])) report('max_values', 'The max_values must be 1 unless the field is multiple.')
  else report('max_values', `The max_values of a ${type} field is always ${fixed}.`)
}
