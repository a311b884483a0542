import type { fieldDraft, newField, Option } from '@kith/contract/field-definition'
import type { newResource, resourceChanges } from '@kith/contract/own-resource'
import type { SchemaObject } from '@kith/contract/schema'
import type { Sent } from '@kith/contract/shape'
import { creating, deleting, documentOf, reading, updating, upserted } from './calls.ts'
import { conditionsOf } from './conditions.ts'
import type { CustomFieldObject } from './documents.ts'
import type { CallOptions, ChangeOptions, WriteOptions } from './list-query.ts'
import type { AnyOf } from './registry-types.ts'
import { type Connection, send } from './transport.ts'

export type CreateFieldInput = Omit<Sent<typeof newField>, 'entity_type'>

/** Absent attributes are kept. */
export type UpdateFieldInput = AnyOf<Sent<typeof fieldDraft>>

export type OptionObject = { readonly id: string; readonly type: 'options'; readonly attributes: Option }

export type CreateResourceInput = Sent<typeof newResource>

/** Absent attributes are kept. */
export type UpdateResourceInput = Sent<typeof resourceChanges>

/** Which field is meant. */
export type FieldAddress = { readonly resource: string; readonly code: string }
type OptionAddress = FieldAddress & { readonly id: string }

type SchemaDocument = { readonly data: SchemaObject }
type FieldDocument = { readonly data: CustomFieldObject }
type OptionDocument = { readonly data: OptionObject }

/** The schema of the workspace's records. Owners and admins can change it. */
export type SchemaClient = {
  /** All resources: those that every workspace has, then its own. */
  list(
    options?: CallOptions & { readonly archived?: boolean | undefined },
  ): Promise<{ readonly data: readonly SchemaObject[] }>
  read(resource: string, options?: CallOptions): Promise<SchemaDocument>
  /** The JSON Schema 2020-12 of records in the sync form. */
  jsonSchema(resource: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>
  /** Makes a resource of the workspace. The codes are made from the names unless they are sent. */
  createResource(input: CreateResourceInput, options?: WriteOptions): Promise<SchemaDocument>
  updateResource(resource: string, input: UpdateResourceInput, options?: ChangeOptions): Promise<SchemaDocument>
  /** Hides a resource and its records, which are kept. */
  archiveResource(resource: string, options?: ChangeOptions): Promise<void>
  restoreResource(resource: string, options?: ChangeOptions): Promise<SchemaDocument>
  /** Deletes an archived resource with its records and fields for good. */
  removeResource(resource: string, options?: ChangeOptions): Promise<void>
  /** Puts the own resources in this order. The codes of all that are not archived are needed. */
  orderResources(codes: readonly string[], options?: WriteOptions): Promise<{ readonly data: readonly SchemaObject[] }>
  createField(resource: string, input: CreateFieldInput, options?: WriteOptions): Promise<FieldDocument>
  /** `meta.duplicates`: how many values are in more than one record, if the call makes the field unique. */
  updateField(
    field: FieldAddress,
    input: UpdateFieldInput,
    options?: ChangeOptions,
  ): Promise<FieldDocument & { readonly meta?: { readonly duplicates: number } }>
  /** Hides a field. Its values are kept. */
  archive(field: FieldAddress, options?: ChangeOptions): Promise<void>
  restore(field: FieldAddress, options?: ChangeOptions): Promise<FieldDocument>
  /** Deletes an archived field and its values for good. */
  remove(field: FieldAddress, options?: ChangeOptions): Promise<void>
  /** Adds an option. If the field has one of this label, it is returned, and `created` is false. */
  addOption(
    field: FieldAddress,
    option: { readonly label: string; readonly color?: string | null | undefined },
    options?: ChangeOptions,
  ): Promise<OptionDocument & { readonly created: boolean }>
  updateOption(
    option: OptionAddress,
    input: {
      readonly label?: string | undefined
      readonly color?: string | null | undefined
      readonly position?: number | undefined
    },
    options?: ChangeOptions,
  ): Promise<OptionDocument>
  /** Removes an option and clears it from all records. `changed` is the number of records that had it. */
  removeOption(option: OptionAddress, options?: ChangeOptions): Promise<{ readonly changed: number }>
  /** Puts the active fields of a resource in this order. The codes of all of them are needed. */
  order(resource: string, codes: readonly string[], options?: WriteOptions): Promise<FieldList>
}

type FieldList = { readonly data: readonly CustomFieldObject[] }

export function schemaClient(connection: Connection): SchemaClient {
  return {
    list: (asked = {}) => documentOf(connection, reading('/schema', asked)),
    read: (resource, asked = {}) => documentOf(connection, reading(`/schema/${resource}`, asked)),
    jsonSchema: (resource, asked = {}) =>
      documentOf(connection, reading(`/schema/${resource}?format=json-schema`, asked)),
    createResource: (input, asked = {}) => documentOf(connection, creating('/schema', input, asked)),
    updateResource: (resource, input, asked = {}) =>
      documentOf(connection, updating(`/schema/${resource}`, input, asked)),
    archiveResource: async (resource, asked = {}) =>
      void (await send(connection, deleting(`/schema/${resource}`, asked))),
    restoreResource: (resource, asked = {}) =>
      documentOf(connection, updating(`/schema/${resource}/restore`, {}, asked)),
    removeResource: async (resource, asked = {}) =>
      void (await send(connection, deleting(`/schema/${resource}?permanently=true`, asked))),
    orderResources: (codes, asked = {}) => documentOf(connection, updating('/schema/order', { codes }, asked)),
    createField: (resource, input, asked = {}) =>
      documentOf(connection, creating(`/schema/${resource}/fields`, input, asked)),
    updateField: (field, input, asked = {}) => documentOf(connection, updating(pathOf(field), input, asked)),
    archive: async (field, asked = {}) => void (await send(connection, deleting(pathOf(field), asked))),
    restore: (field, asked = {}) => documentOf(connection, updating(`${pathOf(field)}/restore`, {}, asked)),
    remove: async (field, asked = {}) =>
      void (await send(connection, deleting(`${pathOf(field)}?permanently=true`, asked))),
    addOption: (field, option, asked = {}) => upserted(connection, creating(`${pathOf(field)}/options`, option, asked)),
    updateOption: (option, input, asked = {}) => documentOf(connection, updating(optionPath(option), input, asked)),
    async removeOption(option, asked = {}) {
      // With a key a repetition gets the number, too.
      const call = { ...deleting(optionPath(option), asked), headers: conditionsOf(asked, true) }
      const { headers } = await send(connection, call)
      return { changed: Number(headers.get('X-Records-Changed') ?? 0) }
    },
    order: (resource, codes, asked = {}) =>
      documentOf(connection, updating(`/schema/${resource}/order`, { codes }, asked)),
  }
}

function pathOf({ resource, code }: FieldAddress): string {
  return `/schema/${resource}/fields/${encodeURIComponent(code)}`
}

function optionPath({ id, ...field }: OptionAddress): string {
  return `${pathOf(field)}/options/${encodeURIComponent(id)}`
}
