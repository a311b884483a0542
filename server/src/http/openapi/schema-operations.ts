import { resourceNames } from '@kith/contract/resource'
import { schemaFormats } from '@kith/contract/schema'
import { noContent, tagged, written } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { ref, refTo, type Schema } from './schema.ts'

const tag = {
  name: 'Schema',
  description: 'What the records of the workspace have, name by name, and changes of its custom fields.',
}
const KEYED = { 409: 'KeyBusy', 413: 'TooLarge' }
const CONDITIONAL = { ...KEYED, 404: 'FieldNotFound', 412: 'FieldChanged' }
const onField = {
  tag,
  parameters: ['SchemaResource', 'FieldCode', 'FieldIfMatch', 'IdempotencyKey'],
  refusals: CONDITIONAL,
}
const onOption = {
  ...onField,
  parameters: ['SchemaResource', 'FieldCode', 'OptionId', 'FieldIfMatch', 'IdempotencyKey'],
}
const field = (description: string) =>
  written(description, ref('CustomFieldDocument'), examplesNamed('CustomFieldDocument'))
const option = (description: string) => written(description, ref('OptionDocument'), examplesNamed('OptionDocument'))

/** An answer in either of the two formats. */
function schemaOr(description: string, name: string): Schema {
  return tagged(description, { anyOf: [ref(name), ref('JsonSchema')] }, examplesNamed(name))
}

const cleared = noContent('It is removed.')

export const schemaOperations = {
  schemas: {
    operationId: 'listSchemas',
    summary: 'Read all schemas',
    says: 'What the records of each resource have. The `ETag` is the version of the definitions, so that a request with `If-None-Match` tells cheaply whether anything has changed. With `format=json-schema` the response is one JSON Schema for records of any resource in the sync form.',
    tag,
    parameters: ['SchemaFormat', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schemas.', 'ResourceSchemaList') },
    refusals: { 304: 'NotModified' },
  },
  schema: {
    operationId: 'readSchema',
    summary: 'Read the schema of a resource',
    says: 'For each name: its type, whether it can be written and sorted by, whether it is required and unique, the operators that it takes, and its options. With `format=json-schema` the response is the JSON Schema of its records in the sync form.',
    tag,
    parameters: ['SchemaResource', 'SchemaFormat', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schema.', 'ResourceSchemaDocument') },
    refusals: { 304: 'NotModified' },
  },
  'create-field': {
    operationId: 'createField',
    summary: 'Create a custom field',
    says: 'The `code` is made from the name unless it is sent, and never changes, nor does the type.',
    tag,
    parameters: ['SchemaResource', 'IdempotencyKey'],
    body: 'FieldCreate',
    answers: { 201: field('The new field.') },
    refusals: KEYED,
  },
  'update-field': {
    ...onField,
    operationId: 'updateField',
    summary: 'Update a custom field',
    says: 'What is absent from the body is kept, `null` clears. A field can be made unique while records share values: `meta.duplicates` counts these values.',
    body: 'FieldUpdate',
    answers: { 200: field('The field.') },
  },
  'remove-field': {
    ...onField,
    operationId: 'deleteField',
    summary: 'Archive or delete a custom field',
    says: 'Archives the field: its values are hidden but kept. With `permanently=true` an archived field is deleted with its values. System fields cannot be archived.',
    parameters: ['SchemaResource', 'FieldCode', 'Permanently', 'FieldIfMatch', 'IdempotencyKey'],
    answers: { 204: noContent('It is archived, or deleted.') },
  },
  'restore-field': {
    ...onField,
    operationId: 'restoreField',
    summary: 'Restore an archived custom field',
    says: 'The field is active again, with its values and at its old position. An active field stays as it is.',
    answers: { 200: field('The field.') },
  },
  'create-option': {
    ...onField,
    operationId: 'createOption',
    summary: 'Add an option',
    says: 'Adds an option at the end. If the field has an option with this label, in any letter case, that one is returned with 200, so that an integration can send this before each write.',
    body: 'OptionCreate',
    answers: { 200: option('The option of this label that there is.'), 201: option('The new option.') },
  },
  'update-option': {
    ...onOption,
    operationId: 'updateOption',
    summary: 'Change an option',
    says: 'Changes the label, the color or the position. Records that have the option show the new label, and do not change.',
    body: 'OptionUpdate',
    answers: { 200: option('The option.') },
  },
  'remove-option': {
    ...onOption,
    operationId: 'deleteOption',
    summary: 'Remove an option',
    says: 'Removes the option and clears it from all records. `X-Records-Changed` says how many live records had it; each of them has an entry in the changes feed.',
    answers: {
      204: {
        ...cleared,
        headers: { ...Object(cleared.headers), 'X-Records-Changed': refTo('headers', 'X-Records-Changed') },
      },
    },
  },
  'order-fields': {
    operationId: 'orderFields',
    summary: 'Reorder custom fields',
    says: 'Puts the active fields of the resource in this order. The request names all of them.',
    tag,
    parameters: ['SchemaResource', 'IdempotencyKey'],
    body: 'FieldOrder',
    answers: {
      200: written('The fields in their new order.', ref('CustomFieldOrder'), examplesNamed('CustomFieldOrder')),
    },
    refusals: KEYED,
  },
} satisfies Record<string, Described>

export const schemaParameters: Record<string, Schema> = {
  SchemaResource: inPath('resource', 'The resource whose records have the fields.', {
    schema: { type: 'string', enum: resourceNames },
    example: 'companies',
  }),
  FieldCode: inPath('code', 'The code of the field.', { schema: { type: 'string' }, example: 'tier' }),
  OptionId: inPath('option_id', 'The ID of the option.', {
    schema: { type: 'string' },
    example: '01kb8w5e6f7g8h9j0k1m2n3p4q',
  }),
  SchemaFormat: {
    name: 'format',
    in: 'query',
    description: '`json-schema`: JSON Schema 2020-12 of records in the sync form.',
    schema: { type: 'string', enum: schemaFormats },
  },
  Permanently: {
    name: 'permanently',
    in: 'query',
    description: 'Deletes the field, which must be archived, with its values.',
    schema: { type: 'boolean', default: false },
  },
  SchemaIfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier response. If the definitions have not changed, the response is 304.',
    schema: { type: 'string' },
    example: '"17"',
  },
  FieldIfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Writes only if the field was not changed since: its `ETag`, or its `updated_at` in double quotes. Otherwise 412.',
    schema: { type: 'string' },
    example: '"2026-11-14T09:30:00.125Z"',
  },
}

function inPath(name: string, description: string, rest: { schema: Schema } & Schema): Schema {
  return { name, in: 'path', required: true, description, ...rest }
}
