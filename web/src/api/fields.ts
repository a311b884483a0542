import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldOption, FieldSettings } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { schemaOf } from '@kith/contract/registry'
import type { ResourceName, Schema } from '@kith/contract/resource'
import { type Client, type CustomFieldObject, createClient } from '@kith/sdk'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { appHeaders, call, callForData, dataQuery } from './call.ts'
import { useSlug } from './workspace.ts'

/** A custom field as the API describes it: the definition with its id. */
export type Field = CustomFieldObject['attributes'] & { id: string }

/** All active fields of the workspace; a few hundred at most, so that one answer serves every screen. */
export function fieldsQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'fields'],
    queryFn: async ({ signal }) => {
      const fields: Field[] = []
      for await (const { id, attributes } of clientOf(slug).customFields.all({ signal, per_page: 100 })) {
        fields.push({ ...attributes, id })
      }
      return fields
    },
    staleTime: 5 * 60_000,
  })
}

/** The fields of one resource in their order; the shell has loaded them before any screen is drawn. */
export function useFields(resource: ResourceName): Field[] {
  const all = useAllFields()
  return useMemo(() => all.filter((field) => field.entity_type === resource), [all, resource])
}

export function useAllFields(): Field[] {
  return useSuspenseQuery(fieldsQuery(useSlug())).data
}

/** The resources of the workspace with their fields. What only the service knows of a field does not matter here. */
export function useSchema(): Schema {
  const fields = useAllFields()
  return useMemo(
    () =>
      schemaOf(
        [],
        fields.map((field) => ({ ...field, number: 0, key: field.code, system: false })),
      ),
    [fields],
  )
}

const clients = new Map<string, Client>()

/** The typed client, for the REST API of a workspace. The session replaces the token. */
function clientOf(slug: string): Client {
  const known = clients.get(slug)
  if (known) return known
  const client = createClient({
    url: `${window.location.origin}/api/app/w/${slug}`,
    token: 'session',
    retries: 1,
    // The query client fetches lists again later. A user who saves sees a failure at once.
    longest_wait: 2,
    fetch: (input, init) => fetch(input, { ...init, headers: withoutToken(init?.headers) }),
  })
  clients.set(slug, client)
  return client
}

function withoutToken(sent: HeadersInit | undefined): Headers {
  const headers = new Headers(sent)
  headers.delete('Authorization')
  for (const [name, value] of Object.entries(appHeaders)) headers.set(name, value)
  return headers
}

/** The fields of a resource as those see them who manage them, archived ones too. */
export function managedFieldsQuery(slug: string, resource: ResourceName) {
  // Below the key that the service's event about fields refreshes.
  return dataQuery<ManagedField[]>([slug, 'fields', 'managed', resource], `/w/${slug}/fields?entity_type=${resource}`)
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

function schemaPath(slug: string, resource: ResourceName): string {
  return `/w/${slug}/v1/schema/${resource}`
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
    queryKey: [slug, 'fields', 'duplicates', id],
    queryFn: async ({ signal }) => {
      const { count } = await callForData<{ count: number }>('GET', `/w/${slug}/fields/${id}/duplicates`, { signal })
      return count
    },
    staleTime: 0,
  })
}
