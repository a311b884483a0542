import { fieldTypes } from '@kith/contract/field-types'
import type { EditOp } from '../../api/bulk-job.ts'
import type { RecordInput } from '../../api/patch-record.ts'
import type { Property } from '../../properties/property.ts'

export const opLabels: Readonly<Record<EditOp, string>> = {
  set: 'Set to',
  clear: 'Clear',
  add: 'Add',
  remove: 'Remove',
}

/** What can be done with a property of several records. */
export function opsOf(property: Property, records: number): EditOp[] {
  if (property.kind === 'name') return ['set']
  if (property.kind === 'links') return ['add', 'remove', 'set', 'clear']
  if (property.kind !== 'custom') return ['set', 'clear']
  const { type, required, unique } = property.field
  const isShared = !unique || records === 1
  const isList = fieldTypes[type].list
  return [
    ...(isShared ? (['set'] as const) : []),
    ...(isList && isShared ? (['add'] as const) : []),
    ...(isList ? (['remove'] as const) : []),
    ...(required ? [] : (['clear'] as const)),
  ]
}

/** The name under which the API writes a property. */
export function attributeOf(property: Property): string {
  return 'attribute' in property ? property.attribute : property.key
}

/** The value of a property in an input. Undefined if there is none. */
export function valueIn(property: Property, input: RecordInput): unknown {
  const value = property.kind === 'custom' ? input.custom_fields?.[property.field.code] : input[attributeOf(property)]
  const isEmpty = value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? undefined : value
}
