import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'

const choices: ReadonlySet<FieldTypeName> = new Set([
  'radio',
  'toggle-buttons',
  'select',
  'checkbox-list',
  'multi-select',
])
const repeatables: ReadonlySet<FieldTypeName> = new Set(['email', 'phone', 'link', 'domain'])

export function isFieldType(name: unknown): name is FieldTypeName {
  return fieldTypeNames.some((known) => known === name)
}

export function hasOptions(type: FieldTypeName): boolean {
  return choices.has(type)
}

/** Sorts by the place of the option that was chosen. */
export function isSingleChoice(type: FieldTypeName): boolean {
  return choices.has(type) && !fieldTypes[type].list
}

/** Whether a field of the type can be told to take one value or several. */
export function isRepeatable(type: FieldTypeName): boolean {
  return repeatables.has(type)
}

/** Has its texts in the search index. */
export function isSearched(type: FieldTypeName): boolean {
  return fieldTypes[type].operators.includes('$contains')
}

export function canBeUnique(type: FieldTypeName): boolean {
  return fieldTypes[type].canBeUnique
}

/** "radio, toggle-buttons, select, …" for a message. */
export function typesThat(meet: (type: FieldTypeName) => boolean): string {
  return fieldTypeNames.filter(meet).join(', ')
}
