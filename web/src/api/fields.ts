import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldOption, FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import type { CustomFieldObject } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call, callForData, dataQuery } from './call.ts'
import { schemaKey, schemaPath, useResource } from './schema.ts'

/** A custom field as the API describes it: the definition with its id. */
export type Field = CustomFieldObject['attributes'] & { id: string }

/** The fields of one resource in their order. */
export function useFields(resource: ResourceName): readonly Field[] {
  return useResource(resource).fields.list
}

/** The fields of a resource as those see them who manage them, archived ones too. */
export function managedFieldsQuery(slug: string, resource: ResourceName) {
  return dataQuery<ManagedField[]>(
    [...schemaKey(slug), 'fields', resource],
    `/w/${slug}/fields?entity_type=${resource}`,
  )
}

/** An option as it is sent: new ones have no id yet. */
export type OptionInput = {
  id?: string
  label: string
  color: FieldOption['color']
  probability?: number | null
}

export type FieldInput = {
  name: string
  description: string | null
  required: boolean
  unique?: boolean
  multiple?: boolean
  max_values?: number
  settings?: FieldSettings
  options?: OptionInput[]
  target?: ResourceName
  inverse?: { name: string; code?: string } | null
}

export async function createField(
  slug: string,
  resource: ResourceName,
  input: FieldInput & { type: FieldTypeName; code?: string },
): Promise<Field> {
  return fieldIn(await callForData('POST', `${schemaPath(slug, resource)}/fields`, { body: input }))
}

export async function updateField(slug: string, field: ManagedField, input: Partial<FieldInput>): Promise<Field> {
  return fieldIn(await callForData('PUT', addressOf(slug, field), { body: input }))
}

export function archiveField(slug: string, field: ManagedField): Promise<unknown> {
  return call('DELETE', addressOf(slug, field))
}

export function restoreField(slug: string, field: ManagedField): Promise<unknown> {
  return call('PUT', `${addressOf(slug, field)}/restore`)
}

export function deleteField(slug: string, field: ManagedField): Promise<unknown> {
  return call('DELETE', `${addressOf(slug, field)}?permanently=true`)
}

export function orderFields(slug: string, resource: ResourceName, codes: readonly string[]): Promise<unknown> {
  return call('PUT', `${schemaPath(slug, resource)}/order`, { body: { codes } })
}

function addressOf(slug: string, { entity_type, code }: ManagedField): string {
  return `${schemaPath(slug, entity_type)}/fields/${code}`
}

function fieldIn({ id, attributes }: CustomFieldObject): Field {
  return { ...attributes, id }
}

/** How many values are held by more than one record. They could be merged if the field becomes unique. */
export function fieldDuplicatesQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...schemaKey(slug), 'duplicates', id],
    queryFn: async ({ signal }) => {
      const { count } = await callForData<{ count: number }>('GET', `/w/${slug}/fields/${id}/duplicates`, { signal })
      return count
    },
    staleTime: 0,
  })
}
