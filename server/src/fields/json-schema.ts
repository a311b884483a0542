import { hash } from 'node:crypto'
import { creationSources } from '@kith/contract/creation-source'
import { type CustomField, customField, type FieldDefinition, type FieldSet } from '@kith/contract/field-definition'
import type { ValueKind } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { heldOptions } from '@kith/contract/field-types/choice'
import { targetOf } from '@kith/contract/field-types/reference'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { syncName } from '@kith/contract/resource-code'
import { shownOf } from '@kith/contract/shape'

type JsonSchema = { readonly [keyword: string]: unknown }

const JSON_SCHEMA = 'https://json-schema.org/draft/2020-12/schema'

/**
 * The JSON Schema of records in the sync form. It describes reads: older values may be longer, or more, than a field
 * accepts today. Objects are open, except for the custom fields, because later versions may add attributes.
 */
export function jsonSchemaOf(resource: Resource, $id: string): JsonSchema {
  return { $schema: JSON_SCHEMA, $id, ...recordSchema(resource) }
}

/** The JSON Schema of records of any resource. */
export function jsonSchemaOfAll(all: readonly Resource[], $id: string): JsonSchema {
  return {
    $schema: JSON_SCHEMA,
    $id,
    oneOf: all.map(({ type }) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(all.map((resource) => [resource.type, recordSchema(resource)])),
  }
}

function recordSchema(resource: Resource): JsonSchema {
  const { type, about, attributes, fields } = resource
  const linked = Object.keys(resource.links).length > 0
  const properties = {
    ...Object.fromEntries(Object.keys(attributes).map((name) => [name, attributeSchema(resource, name)])),
    [EXTERNAL_IDS]: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    custom_fields: { ...whole(valuesOf(fields)), additionalProperties: false },
  }
  return {
    title: type,
    description: about,
    ...whole({
      id,
      type: { const: type },
      attributes: whole(properties),
      ...(linked ? { relationships: whole(relationshipsOf(resource)) } : {}),
    }),
  }
}

const id: JsonSchema = { type: 'string', pattern: '^[0-7][0-9a-hjkmnp-tv-z]{25}$' }

const time: JsonSchema = { type: 'string', format: 'date-time' }

/** An object whose properties are all required. */
function whole(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function attributeSchema({ attributes }: Resource, name: string): JsonSchema {
  const attribute = attributes[name]
  switch (attribute?.kind) {
    case 'reference':
      return { ...id, type: ['string', 'null'], description: `The ID of one of ${attribute.to}.` }
    case 'source':
      return { type: 'string', enum: creationSources }
    case 'time':
      return time
    default:
      return { type: 'string', minLength: 1 }
  }
}

function relationshipsOf({ links }: Resource): Record<string, JsonSchema> {
  const entries = Object.values(links).map((list) => {
    const data = { type: 'array', items: whole({ id, type: { const: list.to } }) }
    return [syncName(list), whole({ data })]
  })
  return Object.fromEntries(entries)
}

function valuesOf({ list }: FieldSet): Record<string, JsonSchema> {
  return Object.fromEntries(list.map((field) => [field.code, fieldSchema(field)]))
}

function fieldSchema(field: FieldDefinition): JsonSchema {
  const description = field.description === null ? {} : { description: field.description }
  const { kind } = fieldTypes[field.type]
  return { title: field.name, ...description, 'x-kith-type': field.type, ...values[kind](field) }
}

const strings: JsonSchema = { type: 'array', items: { type: 'string' } }

const text = () => ({ type: ['string', 'null'] })

const values: Readonly<Record<ValueKind, (field: FieldDefinition) => JsonSchema>> = {
  Text: text,
  LongText: text,
  Number: () => ({ type: ['number', 'null'] }),
  Date: () => ({ type: ['string', 'null'], format: 'date' }),
  DateTime: () => ({ ...time, type: ['string', 'null'] }),
  Boolean: () => ({ type: ['boolean', 'null'] }),
  Choice: (field) => ({ anyOf: [optionSchema(field), { type: 'null' }] }),
  Choices: (field) => ({ type: 'array', items: optionSchema(field) }),
  Tags: () => strings,
  Emails: () => strings,
  Phones: () => strings,
  Links: () => strings,
  Domains: () => strings,
  Reference: (field) => {
    const one = whole({ id, type: { const: targetOf(field) } })
    return field.multiple ? { type: 'array', items: one } : { anyOf: [one, { type: 'null' }] }
  },
}

function optionSchema(field: FieldDefinition): JsonSchema {
  const ids = heldOptions(field).map((option) => option.id)
  // An enum must not be empty. A field without options has no values.
  return whole({ id: ids.length === 0 ? id : { ...id, enum: ids }, label: { type: 'string' } })
}

/** The attributes of a field as the contract names and orders them. */
export function presentField(field: FieldDefinition): CustomField {
  return shownOf(customField, {
    ...field,
    options: field.options.map(({ id, label, color }) => ({ id, label, color })),
  })
}

export type FieldObject = { id: string; type: 'custom_fields'; attributes: CustomField }

/** A field as `/v1/custom-fields` shows it. */
export function fieldObject(field: FieldDefinition): FieldObject {
  return { id: field.id, type: 'custom_fields', attributes: presentField(field) }
}

/** The strong ETag of a field: the time of the last change, and a hash of the definition, as for records. */
export function fieldTag(field: FieldDefinition): string {
  return `"${field.updated_at}~${hash('sha256', JSON.stringify(fieldObject(field)), 'hex').slice(0, 16)}"`
}
