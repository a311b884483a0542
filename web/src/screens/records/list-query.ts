import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import { includeOf } from '../../properties/property.ts'
import type { Column } from './columns.ts'
import type { FilterObject, ListState } from './list-state.ts'
import { searchFilter } from './search-filter.ts'

/** What a list asks the API for, in the words of a `/query` body, pages aside. */
export type ListQuery = { sort?: string; filter?: FilterObject; include?: string; fields?: Record<string, string> }

type Shown = { state: ListState; columns: readonly Column[]; fields: readonly Field[] }

export function listQueryOf(resource: ResourceName, { state, columns, fields }: Shown): ListQuery {
  const filter = joined(state.filter, searchFilter(resource, state.q, fields))
  const include = [...new Set(columns.flatMap(({ property }) => includeOf(property) ?? []))].join(',')
  return {
    ...(state.sort !== undefined && { sort: state.sort }),
    ...(filter && { filter }),
    ...(include !== '' && { include }),
  }
}

/** Lists show only the names of related records, so only these are fetched. */
export function includedFields(resource: ResourceName, columns: readonly Column[]): Record<string, string> {
  const types = columns.flatMap(({ property }) => {
    if (property.kind === 'creator') return ['users' as const]
    return property.kind === 'reference' || property.kind === 'links' ? [property.to] : []
  })
  const others = [...new Set(types)].filter((type) => type !== resource)
  return Object.fromEntries(others.map((type) => [type, type === 'users' ? 'name' : registry[type].label]))
}

/** Both hold. Keys of one object are joined by AND; only where both have a key, `$and` is needed. */
export function joined(one: FilterObject | undefined, other: FilterObject | undefined): FilterObject | undefined {
  if (!one || !other) return one ?? other
  if (Object.keys(other).some((key) => Object.hasOwn(one, key))) return { $and: [one, other] }
  return { ...one, ...other }
}
