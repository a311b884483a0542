import { OWN_RESOURCES_MAX } from '@kith/contract/limits'
import { named, type Schema } from '@kith/contract/shape'
import { answerOf, JSON_API, noContent, type OperationText, placed, shown, written } from '../openapi/schema.ts'
import { read, updates, type V1Route, write } from './record-routes.ts'

/** The endpoints of the schema API: what the resources of a workspace are called, and which fields they have. */
export function schemaRoutes(): V1Route[] {
  const resource = '/schema/:resource'
  const fields = `${resource}/fields`
  const one = `${fields}/:code`
  const option = `${one}/options/:option_id`
  const writing = { ...write, permissions: ['manage_fields'] } as const
  return [
    { method: 'GET', path: '/schema', handler: 'schemas', ...read },
    { method: 'GET', path: '/schema/:resource', handler: 'schema', ...read, archived: true },
    { method: 'POST', path: '/schema', handler: 'create-resource', ...writing, abilities: ['create'] },
    { method: 'PUT', path: '/schema/order', handler: 'order-resources', ...writing, abilities: ['update'] },
    ...updates({ path: resource, handler: 'update-resource', ...writing, abilities: ['update'], archived: true }),
    { method: 'DELETE', path: resource, handler: 'remove-resource', ...writing, abilities: ['delete'], archived: true },
    {
      method: 'PUT',
      path: `${resource}/restore`,
      handler: 'restore-resource',
      ...writing,
      abilities: ['update'],
      archived: true,
    },
    { method: 'POST', path: fields, handler: 'create-field', ...writing, abilities: ['create'] },
    ...updates({ path: one, handler: 'update-field', ...writing, abilities: ['update'] }),
    { method: 'DELETE', path: one, handler: 'remove-field', ...writing, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore-field', ...writing, abilities: ['update'] },
    { method: 'POST', path: `${one}/options`, handler: 'create-option', ...writing, abilities: ['create'] },
    { method: 'PUT', path: option, handler: 'update-option', ...writing, abilities: ['update'] },
    { method: 'DELETE', path: option, handler: 'remove-option', ...writing, abilities: ['delete'] },
    { method: 'PUT', path: '/schema/:resource/order', handler: 'order-fields', ...writing, abilities: ['update'] },
  ]
}

const field = (description: string) => written(description, 'CustomFieldDocument')
const option = (description: string) => written(description, 'OptionDocument')

/** An answer in either of the two formats. */
function schemaOr(description: string, name: string): Schema {
  const schema = { anyOf: [named(name), named('JsonSchema')] }
  return answerOf(description, { [JSON_API]: { ...shown(name), schema } }, ['ETag'])
}

const schemaDocument = (description: string, name = 'ResourceSchemaDocument') => written(description, name)

export const schemaTexts = {
  schemas: {
    operationId: 'listSchemas',
    summary: 'Read all schemas',
    says: 'What the records of each resource have. The `ETag` is the version of the definitions, so that a request with `If-None-Match` tells cheaply whether anything has changed. With `format=json-schema` the response is one JSON Schema for records of any resource in the sync form.',
    parameters: ['SchemaFormat', 'SchemaArchived', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schemas.', 'ResourceSchemaList') },
  },
  schema: {
    operationId: 'readSchema',
    summary: 'Read the schema of a resource',
    says: 'For each name: its type, whether it can be written and sorted by, whether it is required and unique, the operators that it takes, and its options. With `format=json-schema` the response is the JSON Schema of its records in the sync form.',
    parameters: ['SchemaFormat', 'SchemaIfNoneMatch'],
    answers: { 200: schemaOr('The schema.', 'ResourceSchemaDocument') },
  },
  'create-resource': {
    operationId: 'createResource',
    summary: 'Create a resource',
    says: `A workspace can have ${OWN_RESOURCES_MAX} resources of its own. The codes are made from the names unless they are sent, and never change. Its records are at \`/v1/{code}\`, with everything that the built-in resources have.`,
    body: 'ResourceCreate',
    answers: { 201: placed('The schema of the new resource.', 'ResourceSchemaDocument') },
  },
  'update-resource': {
    operationId: 'updateResource',
    summary: 'Change what a resource is called',
    says: 'Built-in resources can be renamed, too. Paths, codes and messages of the API stay.',
    parameters: ['FieldIfMatch'],
    body: 'ResourceUpdate',
    answers: { 200: schemaDocument('The schema.') },
  },
  'remove-resource': {
    operationId: 'deleteResource',
    summary: 'Archive or delete an own resource',
    says: 'Archives the resource: its records are hidden but kept. With `permanently=true` an archived resource is deleted with its records, in the background.',
    parameters: ['Permanently', 'FieldIfMatch'],
    answers: { 204: noContent('It is archived, or deleted.') },
  },
  'restore-resource': {
    operationId: 'restoreResource',
    summary: 'Restore an archived resource',
    says: 'The resource is there again, with its records. An active one stays as it is.',
    parameters: ['FieldIfMatch'],
    answers: { 200: schemaDocument('The schema.') },
  },
  'order-resources': {
    operationId: 'orderResources',
    summary: 'Reorder own resources',
    says: 'Puts the own resources that are not archived in this order. The request names all of them.',
    body: 'ResourceOrder',
    answers: { 200: schemaDocument('The own resources in their new order.', 'ResourceSchemaList') },
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
