import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldOption, FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import type { CustomFieldObject } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call, callForData } from './call.ts'
import type { Field } from './fields.ts'

/** The fields of a resource as those see them who manage them, archived ones too. */
export function managedFieldsQuery(slug: string, resource: ResourceName) {
  return queryOptions({
    // Below the key that the service's event about fields refreshes.
    queryKey: [slug, 'fields', 'managed', resource],
    queryFn: ({ signal }) =>
      callForData<ManagedField[]>('GET', `/w/${slug}/fields?entity_type=${resource}`, { signal }),
  })
}

/** An option as it is sent: new ones have no id yet. */
export type OptionInput = { id?: string; label: string; color: FieldOption['color'] }

export type FieldInput = {
  name: string
  description: string | null
  required: boolean
  unique?: boolean
  multiple?: boolean
  max_values?: number
  settings?: FieldSettings
  options?: OptionInput[]
}

type NewField = FieldInput & { type: FieldTypeName; code?: string }

export async function createField(slug: string, resource: ResourceName, input: NewField): Promise<Field> {
  return fieldIn(await callForData('POST', `${schemaOf(slug, resource)}/fields`, { body: input }))
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
  return call('PUT', `${schemaOf(slug, resource)}/order`, { body: { codes } })
}

function schemaOf(slug: string, resource: ResourceName): string {
  return `/w/${slug}/v1/schema/${resource}`
}

function addressOf(slug: string, { entity_type, code }: ManagedField): string {
  return `${schemaOf(slug, entity_type)}/fields/${code}`
}

function fieldIn({ id, attributes }: CustomFieldObject): Field {
  return { ...attributes, id }
}

/** How many values more than one record holds: what making the field unique would leave to be merged. */
export function fieldDuplicatesQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [slug, 'fields', 'duplicates', id],
    queryFn: async ({ signal }) => {
      const { count } = await callForData<{ count: number }>('GET', `/w/${slug}/fields/${id}/duplicates`, { signal })
      return count
    },
    staleTime: 0,
  })
}
