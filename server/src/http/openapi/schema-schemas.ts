import { fieldTypeNames } from '@kith/contract/field-type-name'
import {
  FIELD_NAME_MAX,
  FIELDS_PER_RESOURCE_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  VALUES_MAX,
} from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { optionColors } from '../../fields/option-colors.ts'
import { closed, mapped, orNull, ref, type Schema } from './schema.ts'

const flag: Schema = { type: 'boolean' }
const flagOrNull: Schema = { type: ['boolean', 'null'] }
const words: Schema = { type: 'array', items: { type: 'string' } }
const related: Schema = { type: 'string', enum: [...resourceNames, 'users'] }

const usable = {
  writable: { ...flag, description: 'Whether it can be sent in a write.' },
  sortable: { ...flag, description: 'Whether lists can be sorted by it.' },
  required: flag,
  unique: { ...flag, description: 'Whether no two records can have the same value.' },
  operators: { ...words, description: 'The operators of filters. None: it cannot be filtered by.' },
}

/** What a workspace's records have, and changes of its custom fields. */
export function schemaSchemas(): Record<string, Schema> {
  return {
    ResourceSchema: closed({
      id: { type: 'string', enum: resourceNames },
      type: { type: 'string', const: 'schemas' },
      attributes: closed({
        version: { type: 'integer', minimum: 1, description: 'The version of the definitions: `X-Schema-Version`.' },
        attributes: named('AttributeSchema', 'Native attributes, and names that only writes or filters take.'),
        relations: named('RelationSchema', 'What `include` and filters take.'),
        counts: named('CountSchema', 'Numbers that `include` adds.'),
        custom_fields: named('CustomFieldSchema', 'The active custom fields in their order, by code.'),
      }),
    }),
    AttributeSchema: closed(
      {
        type: {
          type: 'string',
          enum: ['id', 'text', 'reference', 'references', 'external_ids', 'choice', 'time', 'boolean'],
        },
        readable: { ...flag, description: 'Whether records show it.' },
        ...usable,
        to: { ...related, description: 'What a reference points to.' },
        relation: { type: 'string', description: 'The relation that shows what it points to.' },
        include: {
          type: 'string',
          description: 'Records show it under this `include` only. The sync form always does.',
        },
        values: { ...words, description: 'All values that there are.' },
      },
      { required: ['type', 'readable', ...Object.keys(usable)] },
    ),
    RelationSchema: closed(
      {
        type: related,
        many: flag,
        includable: { ...flag, description: 'Whether `include` takes it.' },
        nested_conditions: { ...flag, description: 'Whether filters take conditions on the related records.' },
        ...usable,
        written_as: { type: 'string', description: 'The key with which it is written.' },
      },
      { required: ['type', 'many', 'includable', 'nested_conditions', ...Object.keys(usable)] },
    ),
    CountSchema: closed({ type: { type: 'string', const: 'integer' }, include: { type: 'string' }, ...usable }),
    CustomFieldSchema: closed({
      id: ref('Id'),
      ...mapped(definitionKeys, (name) => ({ $ref: `#/components/schemas/CustomFieldAttributes/properties/${name}` })),
      ...usable,
      matchable: { ...flag, description: 'Whether it can be the `match.field` of an upsert.' },
      parts: {
        type: 'object',
        additionalProperties: words,
        description: 'The operators of parts of a value, such as the `domain` of an email address.',
      },
    }),
    ResourceSchemaDocument: closed({ data: ref('ResourceSchema') }),
    ResourceSchemaList: closed({
      data: { type: 'array', items: ref('ResourceSchema'), maxItems: resourceNames.length },
    }),
    JsonSchema: {
      type: 'object',
      description: 'With `format=json-schema`: a JSON Schema 2020-12 of records in the sync form.',
      properties: { $schema: { type: 'string' }, $id: { type: 'string' } },
      required: ['$schema', '$id'],
    },
    CustomFieldDocument: closed(
      {
        data: ref('CustomField'),
        meta: closed({
          duplicates: {
            type: 'integer',
            minimum: 0,
            description: 'If the request made the field unique: how many values more than one record holds.',
          },
        }),
      },
      { required: ['data'] },
    ),
    CustomFieldOrder: closed({ data: { type: 'array', items: ref('CustomField'), maxItems: FIELDS_PER_RESOURCE_MAX } }),
    OptionDocument: closed({
      data: closed({
        id: ref('Id'),
        type: { type: 'string', const: 'options' },
        attributes: closed({
          label: { type: 'string', maxLength: OPTION_LABEL_MAX },
          color,
          position: { type: 'integer', minimum: 1, maximum: OPTIONS_MAX },
        }),
      }),
    }),
    FieldCreate: closed(
      { type: { type: 'string', enum: fieldTypeNames }, code: codeInput, ...fieldInput },
      { required: ['name', 'type'] },
    ),
    FieldUpdate: closed(
      {
        ...fieldInput,
        add_options: { type: ['array', 'null'], items: optionInput, description: 'New options at the end.' },
        remove_options: { ...words, type: ['array', 'null'], description: 'Options by ID or label.' },
        rename_options: {
          type: ['array', 'null'],
          items: closed({ from: { type: 'string' }, to: { type: 'string' } }),
          description: 'Options by ID or label, with their new labels.',
        },
        ...mapped(['code', 'type', 'created_at', 'updated_at'], () => ({
          readOnly: true,
          description: 'Accepted as it is, so that what was read can be sent back. It cannot be changed.',
        })),
      },
      { required: [], description: 'What is absent is kept; `null` clears.' },
    ),
    OptionCreate: closed(
      { label, color: { ...color, description: 'Chosen by the position unless sent.' } },
      { required: ['label'] },
    ),
    OptionUpdate: closed(
      { label, color, position: { type: 'integer', minimum: 1, maximum: OPTIONS_MAX } },
      { required: [], description: 'What is absent is kept. The ID of the option stays.' },
    ),
    FieldOrder: closed({
      codes: { type: 'array', items: { type: 'string' }, description: 'The codes of all active fields, each once.' },
    }),
  }
}

/** What a custom field shows here of its definition. */
const definitionKeys = [
  ...['name', 'type', 'description', 'multiple', 'max_values', 'position', 'options', 'settings'],
  ...['created_at', 'updated_at'],
]

const color: Schema = { type: ['string', 'null'], enum: [...optionColors, null] }
const label: Schema = { type: 'string', minLength: 1, maxLength: OPTION_LABEL_MAX }

const codeInput: Schema = {
  type: ['string', 'null'],
  pattern: '^[a-z][a-z0-9_]{0,49}$',
  description: 'Made from the name unless sent. It never changes.',
}

const optionInput: Schema = {
  anyOf: [
    { type: 'string', description: 'A label.' },
    closed(
      { id: { type: 'string' }, label, color },
      { required: [], description: 'An `id` names an existing option.' },
    ),
  ],
}

const fieldInput = {
  name: { type: 'string', minLength: 1, maxLength: FIELD_NAME_MAX },
  description: { type: ['string', 'null'] },
  required: flagOrNull,
  unique: flagOrNull,
  multiple: flagOrNull,
  max_values: { type: ['integer', 'null'], minimum: 1, maximum: Math.max(VALUES_MAX, OPTIONS_MAX) },
  position: { type: 'integer', minimum: 1, maximum: FIELDS_PER_RESOURCE_MAX },
  settings: orNull(ref('CustomFieldSettings')),
  options: {
    type: ['array', 'null'],
    items: optionInput,
    maxItems: OPTIONS_MAX,
    description: 'All options in their order. One that is left out is removed, and cleared from records.',
  },
  entity_type: {
    type: 'string',
    enum: resourceNames,
    description: 'If it is sent, it must be the resource of the path.',
  },
}

function named(schema: string, description: string): Schema {
  return { type: 'object', additionalProperties: ref(schema), description }
}
