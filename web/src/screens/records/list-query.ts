import { allOf } from '@kith/contract/relative/all-of'
import { type Reader, resolveFilter } from '@kith/contract/relative/resolve-filter'
import { searchFilter } from '@kith/contract/relative/search-filter'
import { type RelatedType, type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { useMemo } from 'react'
import { useResource } from '../../api/schema.ts'
import { includeOf, type Property } from '../../properties/property.ts'
import type { Column } from './columns.ts'
import { type FilterObject, type ListState, useListState } from './list-state.ts'
import { useReader } from './relative/use-reader.ts'

/** The `/query` body of a list, without the page. */
export type ListQuery = { sort?: string; filter?: FilterObject; include?: string; fields?: Record<string, string> }

/** The query of the list on the screen, with dates and ids in place of relative conditions. */
export function useListQuery(name: ResourceName, columns: readonly Column[]): ListQuery {
  const [state] = useListState()
  const resource = useResource(name)
  const reader = useReader(state.filter)
  return useMemo(() => listQueryOf(resource, { state, columns, reader }), [resource, state, columns, reader])
}

/** The filter of the list in both forms, where they differ. */
export function useRelativeFilter(name: ResourceName): { stated: object; concrete: object } | undefined {
  const [{ filter: stated }] = useListState()
  const resource = useResource(name)
  const reader = useReader(stated)
  const concrete = resolveFilter(stated, { resource, reader })
  if (!stated || !concrete || JSON.stringify(stated) === JSON.stringify(concrete)) return undefined
  return { stated, concrete }
}

function listQueryOf(
  resource: Resource,
  { state, columns, reader }: { state: ListState; columns: readonly Column[]; reader: Reader },
): ListQuery {
  const filter = joined(resolveFilter(state.filter, { resource, reader }), searchFilter(resource, state.q))
  const include = [...new Set(columns.flatMap(({ property }) => includeOf(property) ?? []))].join(',')
  return {
    ...(state.sort !== undefined && { sort: state.sort }),
    ...(filter && { filter }),
    ...(include !== '' && { include }),
  }
}

/** Of related records, only the names and the values of columns are fetched. */
export function includedFields({ type: own, schema }: Resource, columns: readonly Column[]): Record<string, string> {
  const names = new Map<RelatedType, Set<string>>()
  for (const { property } of columns) {
    const type = relatedTypeOf(property)
    if (type === undefined || type === own) continue
    const known = names.get(type) ?? new Set([type === 'users' ? 'name' : resourceIn(schema, type).label])
    if (property.kind === 'related') known.add(property.of.key)
    names.set(type, known)
  }
  return Object.fromEntries([...names].map(([type, keys]) => [type, [...keys].join(',')]))
}

function relatedTypeOf(property: Property): RelatedType | undefined {
  if (property.kind === 'creator') return 'users'
  return 'to' in property ? property.to : undefined
}

/** Both hold. */
export function joined(one: FilterObject | undefined, other: FilterObject | undefined): FilterObject | undefined {
  return allOf([one, other].filter((part) => part !== undefined))
}
