import { fieldTypes } from '@kith/contract/field-types'
import type { PropertyChange } from '../../../api/patch-record.ts'
import { nameOf } from '../../../api/records.ts'
import type { Property } from '../../../properties/property.ts'
import { customChange, referenceChange } from '../../../properties/property-change.ts'
import { relatedTo } from '../../../properties/related.ts'
import type { RecordRow } from '../record-window.ts'
import { REST } from './folding.ts'
import type { Group } from './grouping.ts'

/** A record gets the value of a group: the change, and the message about it with the change back. */
type Move = { property: Property; told: { message: string; undo: PropertyChange }; change: PropertyChange }

/** The move of a record to a group. Undefined where the group has no single value that the record can have. */
export function moveTo({ record, included }: RecordRow, property: Property, group: Group): Move | undefined {
  if (!isMovable(property) || !hasOneValue(group)) return undefined
  const isRequired = 'field' in property && property.field?.required === true
  if (group.key === null && isRequired) return undefined
  const told = (undo: PropertyChange) => ({ message: `Moved ${nameOf(record)} to ${group.label}`, undo })
  if (property.kind === 'reference') {
    const [before] = relatedTo(record, property.include, included)
    if ((before?.id ?? null) === group.key) return undefined
    const to = group.key === null ? undefined : { id: group.key, type: property.to, name: group.label }
    return { property, told: told(referenceChange(property, before)), change: referenceChange(property, to) }
  }
  if (property.kind !== 'custom') return undefined
  const { field } = property
  const before = record.attributes.custom_fields[field.code] ?? null
  const { hasOptions } = fieldTypes[field.type]
  const flag = group.key === null ? null : group.key === 'true'
  const option = group.key === null ? null : { id: group.key, label: group.label }
  const to = hasOptions ? option : flag
  const isSame = JSON.stringify(before) === JSON.stringify(to)
  return isSame ? undefined : { property, told: told(customChange(field, before)), change: customChange(field, to) }
}

/** Small groups and folded ones are shown as one. */
export function hasOneValue({ key }: Group): boolean {
  return key !== 'other' && key !== REST
}

/** Whether a record is in one group only, and can be given its value. */
export function isMovable(property: Property): boolean {
  if (property.kind === 'reference') return true
  return property.kind === 'custom' && !fieldTypes[property.field.type].list
}
