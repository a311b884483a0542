import type { ManagedField, UpdatedFieldAnswer } from '@kith/contract/app/fields'
import type { FieldOption, FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

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

type NewField = FieldInput & { entity_type: ResourceName; type: FieldTypeName; code?: string }

export function createField(slug: string, input: NewField): Promise<ManagedField> {
  return callForData('POST', `/w/${slug}/fields`, { body: input })
}

export function updateField(slug: string, id: string, input: FieldInput): Promise<UpdatedFieldAnswer> {
  return callForData('PATCH', `/w/${slug}/fields/${id}`, { body: input })
}

export function archiveField(slug: string, id: string): Promise<unknown> {
  return callForData('POST', `/w/${slug}/fields/${id}/archive`, { body: {} })
}

export function restoreField(slug: string, id: string): Promise<unknown> {
  return callForData('POST', `/w/${slug}/fields/${id}/restore`, { body: {} })
}

export function deleteField(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/fields/${id}`)
}

export function orderFields(slug: string, entity_type: ResourceName, ids: readonly string[]): Promise<unknown> {
  return callForData('POST', `/w/${slug}/fields/order`, { body: { entity_type, ids } })
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
