import { registry, schemaOf } from '@kith/contract/registry'
import { OWN_FROM, type Resource, type ResourceName, resourceIn, type Schema } from '@kith/contract/resource'
import type { SchemaObject } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { loadChosenIcons } from '../chosen-icons.ts'
import { call, callForData } from './call.ts'

/** The key of everything about resources and fields. Live updates load it again when a definition changes. */
export function schemaKey(slug: string): string[] {
  return [slug, 'schema']
}

/** All resources of the workspace with their active fields, archived resources too: one answer for every screen. */
export function schemaQuery(slug: string) {
  return queryOptions({
    queryKey: [...schemaKey(slug), 'all'],
    queryFn: async ({ signal }) => {
      const objects = await callForData<SchemaObject[]>('GET', `/w/${slug}/v1/schema?archived=true`, { signal })
      // Without them resources have their usual icons.
      if (objects.some(({ attributes }) => attributes.icon !== null)) await loadChosenIcons().catch(() => undefined)
      return objects
    },
    staleTime: 5 * 60_000,
  })
}

const built = new WeakMap<readonly SchemaObject[], Schema>()

/** The schema that an answer describes; of one answer always the same. */
export function schemaIn(objects: readonly SchemaObject[]): Schema {
  const known = built.get(objects)
  if (known) return known
  const rows = objects.map(({ id: code, attributes }, place) => {
    const { attributes: _, relations: __, counts: ___, custom_fields: ____, ...row } = attributes
    const number = Object.values(registry).find(({ type }) => type === code)?.number ?? OWN_FROM + place
    // What only the service knows of a resource or a field does not matter here.
    return { ...row, code, number, since: null }
  })
  const fields = objects.flatMap(({ id: entity_type, attributes }) =>
    Object.entries(attributes.custom_fields).map(([code, field]) => {
      return { ...field, code, entity_type, number: 0, key: code, system: false }
    }),
  )
  const schema = schemaOf(rows, fields)
  built.set(objects, schema)
  return schema
}

/** Given by the shell, like the slug: thousands of cells read it. */
export const SchemaContext = createContext<Schema | undefined>(undefined)

/** The resources of the workspace that are not archived, by code and in their order, with their fields. */
export function useSchema(): Schema {
  const schema = useContext(SchemaContext)
  if (schema === undefined) throw new Error('This screen belongs to no workspace.')
  return schema
}

export function useResource(name: ResourceName): Resource {
  return resourceIn(useSchema(), name)
}

/** What the workspace calls a resource. */
type ResourceInput = {
  name: string
  singular: string
  description: string | null
  icon: string | null
  color: string | null
}

export function createResource(
  slug: string,
  input: ResourceInput & { code: string; singular_code: string },
): Promise<SchemaObject> {
  return callForData('POST', schemaPath(slug), { body: input })
}

export function updateResource(slug: string, code: ResourceName, input: Partial<ResourceInput>): Promise<SchemaObject> {
  return callForData('PATCH', schemaPath(slug, code), { body: input })
}

export function archiveResource(slug: string, code: ResourceName): Promise<unknown> {
  return call('DELETE', schemaPath(slug, code))
}

export function restoreResource(slug: string, code: ResourceName): Promise<unknown> {
  return call('PUT', `${schemaPath(slug, code)}/restore`)
}

/** With its records. It must be archived. */
export function deleteResource(slug: string, code: ResourceName): Promise<unknown> {
  return call('DELETE', `${schemaPath(slug, code)}?permanently=true`)
}

/** The codes of all own resources that are not archived. */
export function orderResources(slug: string, codes: readonly ResourceName[]): Promise<unknown> {
  return call('PUT', `${schemaPath(slug)}/order`, { body: { codes } })
}

/** Below the schema of a workspace: all resources, or one. */
export function schemaPath(slug: string, ...codes: readonly ResourceName[]): string {
  return [`/w/${slug}/v1/schema`, ...codes].join('/')
}
