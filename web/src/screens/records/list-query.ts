import { registry } from '@kith/contract/registry'
import type { RelatedType, ResourceName } from '@kith/contract/resource'
import { useMemo } from 'react'
import { type Field, useAllFields } from '../../api/fields.ts'
import { includeOf, type Property } from '../../properties/property.ts'
import type { Column } from './columns.ts'
import { allOf } from './filter/write-filter.ts'
import { type FilterObject, type ListState, useListState } from './list-state.ts'
import { type Reader, resolveFilter } from './relative/resolve-filter.ts'
import { useReader } from './relative/use-reader.ts'
import { searchFilter } from './search-filter.ts'

/** What a list asks the API for, in the words of a `/query` body, pages aside. */
export type ListQuery = { sort?: string; filter?: FilterObject; include?: string; fields?: Record<string, string> }

type Shown = { state: ListState; columns: readonly Column[]; fields: readonly Field[]; reader: Reader }

/** What the list on the screen asks for, with dates and ids in place of relative conditions. */
export function useListQuery(resource: ResourceName, columns: readonly Column[]): ListQuery {
  const [state] = useListState()
  const fields = useAllFields()
  const reader = useReader(state.filter)
  return useMemo(
    () => listQueryOf(resource, { state, columns, fields, reader }),
    [resource, state, columns, fields, reader],
  )
}

/** The filter of the list in both forms, where they differ. */
export function useRelativeFilter(resource: ResourceName): { stated: object; concrete: object } | undefined {
  const [{ filter: stated }] = useListState()
  const fields = useAllFields()
  const reader = useReader(stated)
  const concrete = resolveFilter(stated, { resource: registry[resource], fields, reader })
  if (!stated || !concrete || JSON.stringify(stated) === JSON.stringify(concrete)) return undefined
  return { stated, concrete }
}

function listQueryOf(resource: ResourceName, { state, columns, fields, reader }: Shown): ListQuery {
  const filter = joined(
    resolveFilter(state.filter, { resource: registry[resource], fields, reader }),
    searchFilter(resource, state.q),
  )
  const include = [...new Set(columns.flatMap(({ property }) => includeOf(property) ?? []))].join(',')
  return {
    ...(state.sort !== undefined && { sort: state.sort }),
    ...(filter && { filter }),
    ...(include !== '' && { include }),
  }
}

/** Of related records, only the names and the values of columns are fetched. */
export function includedFields(resource: ResourceName, columns: readonly Column[]): Record<string, string> {
  const names = new Map<RelatedType, Set<string>>()
  for (const { property } of columns) {
    const type = relatedTypeOf(property)
    if (type === undefined || type === resource) continue
    const known = names.get(type) ?? new Set([type === 'users' ? 'name' : registry[type].label])
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
