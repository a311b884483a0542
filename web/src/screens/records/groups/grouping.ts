import { fieldTypes } from '@kith/contract/field-types'
import { FILTER_LIST_MAX } from '@kith/contract/limits'
import { asWord } from '@kith/contract/registry'
import { allOf } from '@kith/contract/relative/all-of'
import type { ResourceName } from '@kith/contract/resource'
import type { SummaryGroup } from '../../../api/records.ts'
import { filterBy, type Property, useProperties } from '../../../properties/property.ts'
import { type FilterObject, useListState } from '../list-state.ts'

/** The property whose values make the groups of a list. `by` is its name in summaries and addresses. */
export type Grouping = { by: string; property: Property }

/** Records with one value, and the filter that finds them. */
export type Group = {
  key: string | null
  label: string
  count: number
  filter: FilterObject
  /** The color of an option. */
  color: string | null
}

/** The properties that a list can be grouped by: choices, references and members. */
export function useGroupings(resource: ResourceName): Grouping[] {
  return useProperties(resource).flatMap((property): Grouping[] => {
    if (property.kind === 'custom') return isChoice(property) ? [{ by: property.key, property }] : []
    const isRelation = property.kind === 'reference' || property.kind === 'links' || property.kind === 'creator'
    return isRelation ? [{ by: property.include, property }] : []
  })
}

/** The grouping that the address asks for. Boards name a field by its code alone. */
export function useGrouping(resource: ResourceName): Grouping | undefined {
  const [{ group_by, layout }] = useListState()
  const groupings = useGroupings(resource)
  if (group_by === undefined || layout === 'board') return undefined
  return groupings.find(({ by }) => by === group_by) ?? groupings.find(({ by }) => by === `custom_fields.${group_by}`)
}

/** The groups that have records, in the order of the summary. */
export function groupsOf({ property }: Grouping, rows: readonly SummaryGroup[]): Group[] {
  const keys = rows.map(({ key }) => key).filter((key) => key !== 'other')
  return rows
    .filter(({ count }) => count > 0)
    .map(({ key, label, count }) => ({
      key,
      label: key === null ? `No ${asWord(property.label)}` : label,
      count,
      filter: (key === 'other' ? otherFilter(property, keys) : filterOf(property, key)) ?? {},
      color: colorOf(property, key),
    }))
}

function filterOf(property: Property, key: string | null): FilterObject | undefined {
  if (key === null) return filterBy(property, { $is_empty: true })
  return filterBy(property, property.kind === 'custom' ? choiceTest(property.field.type, key) : { $in: [key] })
}

function choiceTest(type: keyof typeof fieldTypes, key: string): FilterObject {
  const { hasOptions, list } = fieldTypes[type]
  if (!hasOptions) return { $eq: key === 'true' }
  return list ? { $has_any: [key] } : { $eq: key }
}

/** The records of all groups that are too small to be shown. With many groups, that without a value is one of them. */
function otherFilter(property: Property, keys: readonly (string | null)[]): FilterObject | undefined {
  const of = (test: object): FilterObject => filterBy(property, test) ?? {}
  const ids = keys.filter((key) => key !== null)
  const none = property.kind === 'custom' && fieldTypes[property.field.type].list ? '$has_none' : '$not_in'
  const parts = ids.length < keys.length ? [of({ $is_empty: false })] : []
  for (let at = 0; at < ids.length; at += FILTER_LIST_MAX) {
    parts.push(of({ [none]: ids.slice(at, at + FILTER_LIST_MAX) }))
  }
  return allOf(parts)
}

function colorOf(property: Property, key: string | null): string | null {
  const options = property.kind === 'custom' ? property.field.options : []
  return options.find(({ id }) => id === key)?.color ?? null
}

function isChoice({ field }: Property & { kind: 'custom' }): boolean {
  const { hasOptions, orderedKeys } = fieldTypes[field.type]
  return hasOptions ? field.options.length > 0 : orderedKeys !== undefined
}
