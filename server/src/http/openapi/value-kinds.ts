import type { ValueKind } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { startingFields } from '../../fields/default-fields.ts'

/** The types of one kind: their values share the schemas for reading, writing and filtering. */
export function typesOf(kind: ValueKind): readonly FieldTypeName[] {
  return fieldTypeNames.filter((name) => fieldTypes[name].kind === kind)
}

/** The fields that a resource has in every workspace, and that can therefore be promised, by their code. */
export function systemFields(resource: ResourceName): Map<string, ValueKind> {
  const system = startingFields[resource].filter((field) => field.system)
  return new Map(system.map(({ code, type }) => [code, fieldTypes[type].kind]))
}
