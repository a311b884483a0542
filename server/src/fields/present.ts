import type { FieldDefinition } from '@kith/contract/field-definition'

/** The attributes of a field as the contract names and orders them. */
export type FieldAttributes = Omit<FieldDefinition, 'id' | 'key' | 'system'>

export function presentField(field: FieldDefinition): FieldAttributes {
  return {
    code: field.code,
    name: field.name,
    type: field.type,
    entity_type: field.entity_type,
    description: field.description,
    required: field.required,
    unique: field.unique,
    multiple: field.multiple,
    max_values: field.max_values,
    position: field.position,
    options: field.options.map(({ id, label, color }) => ({ id, label, color })),
    settings: field.settings,
    created_at: field.created_at,
    updated_at: field.updated_at,
  }
}
