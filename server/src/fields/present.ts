import { hash } from 'node:crypto'
import type { FieldDefinition } from '@kith/contract/field-definition'

/** The attributes of a field as the contract names and orders them. */
type FieldAttributes = Omit<FieldDefinition, 'id' | 'key' | 'system'>

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

export type FieldObject = { id: string; type: 'custom_fields'; attributes: FieldAttributes }

/** A field as `/v1/custom-fields` shows it. */
export function fieldObject(field: FieldDefinition): FieldObject {
  return { id: field.id, type: 'custom_fields', attributes: presentField(field) }
}

/** The strong ETag of a field: when it was last changed, and digits that depend on all of it, as of a record. */
export function fieldTag(field: FieldDefinition): string {
  return `"${field.updated_at}~${hash('sha256', JSON.stringify(fieldObject(field)), 'hex').slice(0, 16)}"`
}
