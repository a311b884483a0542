import { fieldTypeNames } from '@kith/contract/field-type-name'
import {
  FIELD_NAME_MAX,
  FIELDS_PER_RESOURCE_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  TEXT_MAX_LIMIT,
  VALUES_MAX,
} from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { optionColors } from '../../fields/options.ts'
import { documentOf, pageOf } from './record-schemas.ts'
import { closed, constant, enumOf, is, mapped, objectOf, orNull, ref, type Schema, says } from './schema.ts'

const color: Schema = { type: ['string', 'null'], enum: [...optionColors, null] }

const words: Schema = { type: 'array', items: is.text }

const related = enumOf([...resourceNames, 'users'])

const usable = {
  writable: says(is.flag, 'Whether it can be sent in a write.'),
  sortable: says(is.flag, 'Whether lists can be sorted by it.'),
  required: is.flag,
  unique: says(is.flag, 'Whether no two records can have the same value.'),
  operators: says(words, 'The operators of filters. None: it cannot be filtered by.'),
}

/** The schemas of the records of a workspace, and changes of its custom fields. */
export function schemaSchemas(): Record<string, Schema> {
  return {
    ResourceSchema: closed({
      id: enumOf(resourceNames),
      type: constant('schemas'),
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
        type: enumOf(['id', 'text', 'reference', 'references', 'external_ids', 'choice', 'time', 'boolean']),
        readable: says(is.flag, 'Whether records show it.'),
        ...usable,
        to: says(related, 'What a reference points to.'),
        relation: says(is.text, 'The relation that shows what it points to.'),
        include: says(is.text, 'Records show it under this `include` only. The sync form always does.'),
        values: says(words, 'All values that there are.'),
      },
      { required: ['type', 'readable', ...Object.keys(usable)] },
    ),
    RelationSchema: closed(
      {
        type: related,
        many: is.flag,
        includable: says(is.flag, 'Whether `include` takes it.'),
        nested_conditions: says(is.flag, 'Whether filters take conditions on the related records.'),
        ...usable,
        written_as: says(is.text, 'The key with which it is written.'),
      },
      { required: ['type', 'many', 'includable', 'nested_conditions', ...Object.keys(usable)] },
    ),
    CountSchema: closed({ type: constant('integer'), include: is.text, ...usable }),
    CustomFieldSchema: closed({
      id: ref('Id'),
      ...mapped(definitionKeys, (name) => ({ $ref: `#/components/schemas/CustomFieldAttributes/properties/${name}` })),
      ...usable,
      matchable: says(is.flag, 'Whether it can be the `match.field` of an upsert.'),
      parts: {
        type: 'object',
        additionalProperties: words,
        description: 'The operators of parts of a value, such as the `domain` of an email address.',
      },
    }),
    ResourceSchemaDocument: documentOf('ResourceSchema'),
    ResourceSchemaList: closed({
      data: { type: 'array', items: ref('ResourceSchema'), maxItems: resourceNames.length },
    }),
    JsonSchema: {
      type: 'object',
      description: 'With `format=json-schema`: a JSON Schema 2020-12 of records in the sync form.',
      properties: { $schema: is.text, $id: is.text },
      required: ['$schema', '$id'],
    },
    CustomFieldDocument: closed(
      {
        data: ref('CustomField'),
        meta: closed({
          duplicates: says(
            is.whole,
            'If the request made the field unique: how many values are in more than one record.',
          ),
        }),
      },
      { required: ['data'] },
    ),
    CustomFieldOrder: closed({ data: { type: 'array', items: ref('CustomField'), maxItems: FIELDS_PER_RESOURCE_MAX } }),
    OptionDocument: closed({
      data: objectOf('options', {
        label: { type: 'string', maxLength: OPTION_LABEL_MAX },
        color,
        position: { type: 'integer', minimum: 1, maximum: OPTIONS_MAX },
      }),
    }),
    FieldCreate: closed(
      { type: enumOf(fieldTypeNames), code: codeInput, ...fieldInput },
      { required: ['name', 'type'] },
    ),
    FieldUpdate: closed(
      {
        ...fieldInput,
        add_options: { type: ['array', 'null'], items: optionInput, description: 'New options at the end.' },
        remove_options: { ...words, type: ['array', 'null'], description: 'Options by ID or label.' },
        rename_options: {
          type: ['array', 'null'],
          items: closed({ from: is.text, to: is.text }),
          description: 'Options by ID or label, with their new labels.',
        },
        ...mapped(['code', 'type', 'created_at', 'updated_at'], () => ({
          readOnly: true,
          description: 'Accepted as it is, so that what was read can be sent back. It cannot be changed.',
        })),
      },
      { required: [], description: 'What is absent is kept; `null` clears.' },
    ),
    OptionCreate: closed({ label, color: says(color, 'Chosen by the position unless sent.') }, { required: ['label'] }),
    OptionUpdate: closed(
      { label, color, position: { type: 'integer', minimum: 1, maximum: OPTIONS_MAX } },
      { required: [], description: 'What is absent is kept. The ID of the option stays.' },
    ),
    FieldOrder: closed({
      codes: says(words, 'The codes of all active fields, each once.'),
    }),
  }
}

/** The attributes of a definition that the schema of a record shows. */
const definitionKeys = [
  'name',
  'type',
  'description',
  'multiple',
  'max_values',
  'position',
  'options',
  'settings',
  'created_at',
  'updated_at',
]

const label: Schema = { type: 'string', minLength: 1, maxLength: OPTION_LABEL_MAX }

const codeInput: Schema = {
  type: ['string', 'null'],
  pattern: '^[a-z][a-z0-9_]{0,49}$',
  description: 'Made from the name unless sent. It never changes.',
}

const optionInput: Schema = {
  anyOf: [
    says(is.text, 'A label.'),
    closed({ id: is.text, label, color }, { required: [], description: 'An `id` names an existing option.' }),
  ],
}

const fieldInput = {
  name: { type: 'string', minLength: 1, maxLength: FIELD_NAME_MAX },
  description: is.textOrNull,
  required: is.flagOrNull,
  unique: is.flagOrNull,
  multiple: is.flagOrNull,
  max_values: { type: ['integer', 'null'], minimum: 1, maximum: Math.max(VALUES_MAX, OPTIONS_MAX) },
  position: { type: 'integer', minimum: 1, maximum: FIELDS_PER_RESOURCE_MAX },
  settings: orNull(ref('CustomFieldSettings')),
  options: {
    type: ['array', 'null'],
    items: optionInput,
    maxItems: OPTIONS_MAX,
    description: 'All options in their order. One that is left out is removed, and cleared from records.',
  },
  entity_type: says(enumOf(resourceNames), 'If it is sent, it must be the resource of the path.'),
}

function named(schema: string, description: string): Schema {
  return { type: 'object', additionalProperties: ref(schema), description }
}

/** Definitions of custom fields. */
export function definitionSchemas(): Record<string, Schema> {
  return {
    CustomField: closed({
      id: ref('Id'),
      type: constant('custom_fields'),
      attributes: ref('CustomFieldAttributes'),
    }),
    CustomFieldAttributes: closed({
      code: {
        type: 'string',
        pattern: '^[a-z][a-z0-9_]{0,49}$',
        description: 'The key of its values in `custom_fields`. Never changes.',
      },
      name: { type: 'string', maxLength: FIELD_NAME_MAX },
      type: says(enumOf(fieldTypeNames), 'Never changes.'),
      entity_type: says(enumOf(resourceNames), 'The resource whose records have the field.'),
      description: is.textOrNull,
      required: says(is.flag, 'Whether a record must have a value.'),
      unique: says(is.flag, 'Whether no two records may hold the same value. Upserts match on such a field.'),
      multiple: says(is.flag, 'Whether a record may hold more than one value.'),
      max_values: { type: 'integer', minimum: 1, description: 'How many values a record may hold.' },
      position: { type: 'integer', description: 'Its place among the fields of the resource.' },
      options: {
        type: 'array',
        items: ref('CustomFieldOption'),
        maxItems: OPTIONS_MAX,
        description: 'What can be chosen, in order. Empty for types without options.',
      },
      settings: ref('CustomFieldSettings'),
      created_at: ref('Timestamp'),
      updated_at: ref('Timestamp'),
    }),
    CustomFieldOption: closed({
      id: ref('Id'),
      label: { type: 'string', maxLength: OPTION_LABEL_MAX },
      color,
    }),
    CustomFieldSettings: closed(
      {
        currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217. Of currency fields.' },
        decimals: { type: 'integer', enum: [0, 2, 3], description: 'Decimals kept. Of currency fields.' },
        max_length: { type: 'integer', minimum: 1, maximum: TEXT_MAX_LIMIT, description: 'Of text fields.' },
      },
      { required: [], description: 'The settings of its type.' },
    ),
    CustomFieldList: pageOf('CustomField'),
  }
}
