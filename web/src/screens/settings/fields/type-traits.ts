import type { FieldTypeName } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'

const withOptions: readonly FieldTypeName[] = ['radio', 'toggle-buttons', 'select', 'checkbox-list', 'multi-select']
const repeatable: readonly FieldTypeName[] = ['email', 'phone', 'link', 'domain']

/** What can be chosen about a field of a type. */
export function hasOptions(type: FieldTypeName): boolean {
  return withOptions.includes(type)
}

/** Whether it takes one value or several, as one likes. */
export function isRepeatable(type: FieldTypeName): boolean {
  return repeatable.includes(type)
}

export function canBeUnique(type: FieldTypeName): boolean {
  return fieldTypes[type].canBeUnique
}
