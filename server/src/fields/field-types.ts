import type { FieldType } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'

export function isFieldType(name: unknown): name is FieldTypeName {
  return fieldTypeNames.some((known) => known === name)
}

/** Whether values sort by the position of their option. */
export function isSingleChoice(type: FieldTypeName): boolean {
  const { hasOptions, list } = fieldTypes[type]
  return hasOptions === true && !list
}

/** Whether the search index has the texts of the field. */
export function isSearched(type: FieldTypeName): boolean {
  return fieldTypes[type].operators.includes('$contains')
}

/** "radio, toggle-buttons, select, …" for a message. */
export function typesThat(meet: (type: FieldType) => boolean): string {
  return fieldTypeNames.filter((name) => meet(fieldTypes[name])).join(', ')
}
