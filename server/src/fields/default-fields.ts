import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import { newId } from '@kith/contract/id'
import { VALUES_DEFAULT } from '@kith/contract/limits'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { noteStartingFields } from '../audit/audit-field.ts'
import type { Scope } from '../scope/scope.ts'
import { findAllFields, insertFields } from '../storage/tables/custom-fields.ts'
import { isSearched } from './field-types.ts'
import type { OptionColor } from './option-colors.ts'
import { usualSettings } from './settings.ts'
import { type StartingField, startingFields } from './starting-fields.ts'
import { usualCount } from './value-count.ts'

/** Creates the starting fields of every resource that has no fields in this workspace yet. */
export async function createDefaultFields(inside: Scope): Promise<void> {
  const at = inside.now()
  const known = new Set((await findAllFields(inside)).map((field) => field.entity_type))
  const missing = resourceNames.filter((resource) => !known.has(resource))
  if (missing.length === 0) return
  const fields = missing.flatMap((resource) =>
    startingFields[resource].map((field, index) => rowOf(field, { resource, position: index + 1, at })),
  )
  await insertFields(inside, fields)
  await noteStartingFields(inside, fields)
  const searched = fields.filter((field) => isSearched(field.type)).map((field) => field.id)
  await inside.engine.search.addFields(inside.db, inside.workspace.id, searched)
}

type Placed = { resource: ResourceName; position: number; at: Date }

function rowOf({ code, name, type, ...field }: StartingField, { resource, position, at }: Placed): FieldDefinition {
  const count = field.identifying ? { multiple: true, max_values: VALUES_DEFAULT } : usualCount(type)
  return {
    id: newId(at.getTime()),
    key: code,
    entity_type: resource,
    code,
    name,
    type,
    description: null,
    required: false,
    unique: field.identifying ?? false,
    ...count,
    position,
    system: field.system ?? false,
    settings: usualSettings(type),
    options: optionsOf(field.options ?? {}, at),
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }
}

function optionsOf(colors: Readonly<Record<string, OptionColor>>, at: Date): FieldOption[] {
  return Object.entries(colors).map(([label, color]) => ({ id: newId(at.getTime()), label, color }))
}
