import type { ResourceName } from '@kith/contract/resource'
import type { CustomFieldObject } from '@kith/sdk'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { clientOf } from './client.ts'
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
