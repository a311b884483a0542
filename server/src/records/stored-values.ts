import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue, WireValue } from '@kith/contract/field-type'
import { fieldTypes, isList } from '@kith/contract/field-types'

/** The values of a record by the key of their field. */
export type StoredValues = Readonly<Record<string, StoredValue>>

/** A value and the field it belongs to. */
export type FieldValue = readonly [FieldDefinition, StoredValue]

/** New values of fields. Null clears a field. */
export type ValueChanges = ReadonlyMap<FieldDefinition, StoredValue | null>

/** Only this service writes the JSON of a record. */
export function parseStored(json: string): Record<string, StoredValue> {
  return JSON.parse(json) as Record<string, StoredValue>
}

/** The values of these fields that a record holds. */
export function valuesIn({ custom_fields }: { custom_fields: string }, fields: readonly FieldDefinition[]) {
  const stored = parseStored(custom_fields)
  return fields.flatMap((field): FieldValue[] => {
    const value = stored[field.key]
    return value === undefined ? [] : [[field, value]]
  })
}

/** The changed values without those that are cleared. */
export function givenValues(values: ValueChanges): FieldValue[] {
  return [...values].filter((entry): entry is [FieldDefinition, StoredValue] => entry[1] !== null)
}

/** The stored JSON with changes applied. Cleared fields are not stored. */
export function changedJson(json: string, values: ValueChanges): string {
  const stored = parseStored(json)
  for (const [field, value] of values) {
    if (value === null) delete stored[field.key]
    else stored[field.key] = value
  }
  return JSON.stringify(stored)
}

/** A value without options that were deleted. */
export function withoutDeleted(field: FieldDefinition, value: StoredValue): StoredValue | null {
  if (!fieldTypes[field.type].hasOptions) return value
  const isThere = (id: unknown) => field.options.some((option) => option.id === id)
  if (!Array.isArray(value)) return isThere(value) ? value : null
  const left = value.filter(isThere)
  return left.length === 0 ? null : left
}

/** The stored JSON without options of these fields that were deleted. */
export function withoutDeletedOptions(row: { custom_fields: string }, fields: readonly FieldDefinition[]): string {
  const changes = new Map<FieldDefinition, StoredValue | null>()
  for (const [field, value] of valuesIn(row, fields)) {
    const left = withoutDeleted(field, value)
    if (left === null || (Array.isArray(left) && left.length < [value].flat().length)) changes.set(field, left)
  }
  return changes.size === 0 ? row.custom_fields : changedJson(row.custom_fields, changes)
}

/** The wire form of a value, without what is `gone`. Unset fields are null or an empty list. */
export function presentValue(
  stored: StoredValue | undefined,
  field: FieldDefinition,
  gone?: ReadonlySet<string>,
): WireValue {
  if (stored === undefined) return isList(field) ? [] : null
  return fieldTypes[field.type].present(stored, field, gone)
}

/** The ids in the reference fields of a record that are no live records. */
export function goneIn({ gone }: { gone?: string | null }): ReadonlySet<string> | undefined {
  return gone ? new Set(gone.split(' ')) : undefined
}

/** The ids in a stored value of a reference field. */
export function idsIn(stored: StoredValue | null | undefined): readonly string[] {
  return Array.isArray(stored) ? stored : []
}
