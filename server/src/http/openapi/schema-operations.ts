import { named, type Schema } from '@kith/contract/shape'
import { answerOf, JSON_API, noContent, type OperationText, shown, written } from './schema.ts'

const field = (description: string) => written(description, 'CustomFieldDocument')
const option = (description: string) => written(description, 'OptionDocument')

/** An answer in either of the two formats. */
function schemaOr(description: string, name: string): Schema {
  const schema = { anyOf: [named(name), named('JsonSchema')] }
  return answerOf(description, { [JSON_API]: { ...shown(name), schema } }, ['ETag'])
}

export const schemaOperations = {
  schemas: {
    operationId: 'listSchemas',
    summary: 'Read all schemas',
    says: 'What the records of each resource have. The `ETag` is the version of the definitions, so that a request with `If-None-Match` tells cheaply whether anything has changed. With `format=json-schema` the response is one JSON Schema for records of any resource in the sync form.',
    parameters: ['SchemaFormat', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schemas.', 'ResourceSchemaList') },
  },
  schema: {
    operationId: 'readSchema',
    summary: 'Read the schema of a resource',
    says: 'For each name: its type, whether it can be written and sorted by, whether it is required and unique, the operators that it takes, and its options. With `format=json-schema` the response is the JSON Schema of its records in the sync form.',
    parameters: ['SchemaFormat', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schema.', 'ResourceSchemaDocument') },
  },
  'create-field': {
    operationId: 'createField',
    summary: 'Create a custom field',
    says: 'The `code` is made from the name unless it is sent, and never changes, nor does the type.',
    body: 'FieldCreate',
    answers: { 201: field('The new field.') },
  },
  'update-field': {
    operationId: 'updateField',
    summary: 'Update a custom field',
    says: 'What is absent from the body is kept, `null` clears. A field can be made unique while records share values: `meta.duplicates` counts these values.',
    parameters: ['FieldIfMatch'],
    body: 'FieldUpdate',
    answers: { 200: field('The field.') },
  },
  'remove-field': {
    operationId: 'deleteField',
    summary: 'Archive or delete a custom field',
    says: 'Archives the field: its values are hidden but kept. With `permanently=true` an archived field is deleted with its values. System fields cannot be archived.',
    parameters: ['Permanently', 'FieldIfMatch'],
    answers: { 204: noContent('It is archived, or deleted.') },
  },
  'restore-field': {
    operationId: 'restoreField',
    summary: 'Restore an archived custom field',
    says: 'The field is active again, with its values and at its old position. An active field stays as it is.',
    parameters: ['FieldIfMatch'],
    answers: { 200: field('The field.') },
  },
  'create-option': {
    operationId: 'createOption',
    summary: 'Add an option',
    says: 'Adds an option at the end. If the field has an option with this label, in any letter case, that one is returned with 200, so that an integration can send this before each write.',
    parameters: ['FieldIfMatch'],
    body: 'OptionCreate',
    answers: { 200: option('The option of this label that there is.'), 201: option('The new option.') },
  },
  'update-option': {
    operationId: 'updateOption',
    summary: 'Change an option',
    says: 'Changes the label, the color or the position. Records that have the option show the new label, and do not change.',
    parameters: ['FieldIfMatch'],
    body: 'OptionUpdate',
    answers: { 200: option('The option.') },
  },
  'remove-option': {
    operationId: 'deleteOption',
    summary: 'Remove an option',
    says: 'Removes the option and clears it from all records. `X-Records-Changed` says how many live records had it; each of them has an entry in the changes feed.',
    parameters: ['FieldIfMatch'],
    answers: { 204: noContent('It is removed.', ['X-Records-Changed']) },
  },
  'order-fields': {
    operationId: 'orderFields',
    summary: 'Reorder custom fields',
    says: 'Puts the active fields of the resource in this order. The request names all of them.',
    body: 'FieldOrder',
    answers: { 200: written('The fields in their new order.', 'CustomFieldOrder') },
  },
} satisfies Record<string, OperationText>
