import { fieldTypes } from '@kith/contract/field-types'
import { FILTER_LIST_MAX } from '@kith/contract/limits'
import { asWord } from '@kith/contract/registry'
import type { Field } from '../../../api/fields.ts'
import { filterBy, type Property } from '../../../properties/property.ts'
import type { FilterObject } from '../list-state.ts'
import type { Group } from './grouping.ts'

/** Stands for the records without a value. */
export const EMPTY = 'empty'

/** The key of the group of all folded ones. No option has this id. */
export const REST = 'rest'

/** A view keeps the ids of folded options, not of shown ones, so that a new option is shown. */
export function foldedIn(folded = ''): string[] {
  return folded.split(',').filter(Boolean)
}

/** Ids that nothing has any more are left out. */
export function withFolded(folded: string | undefined, id: string, known: readonly { id: string }[]): string {
  const before = foldedIn(folded)
  const after = before.includes(id) ? before.filter((one) => one !== id) : [...before, id]
  return after.filter((one) => known.some((option) => option.id === one)).join(',')
}

/** What can be folded: the options of a field that has one of them, and no value. */
export function foldableOptions(field: Field): { id: string; label: string }[] {
  const { hasOptions, list } = fieldTypes[field.type]
  if (!hasOptions || list) return []
  return [...field.options, { id: EMPTY, label: `No ${asWord(field.name)}` }]
}

/** The groups of a list, with the folded ones as one at the end. */
export function foldGroups(groups: Group[], property: Property, folded: string | undefined): Group[] {
  const ids = property.kind === 'custom' && foldableOptions(property.field).length > 0 ? foldedIn(folded) : []
  const isFolded = ({ key }: Group) => ids.includes(key ?? EMPTY)
  const rest = groups.filter(isFolded)
  if (rest.length === 0) return groups
  const together: Group = {
    key: REST,
    label: `${rest.length} folded: ${rest.map(({ label }) => label).join(', ')}`,
    count: rest.reduce((sum, { count }) => sum + count, 0),
    filter: anyOf(property, rest),
    color: null,
  }
  return [...groups.filter((group) => !isFolded(group)), together]
}

function anyOf(property: Property, groups: readonly Group[]): FilterObject {
  const keys = groups.flatMap(({ key }) => key ?? [])
  const parts = keys.length < groups.length ? [filterBy(property, { $is_empty: true }) ?? {}] : []
  for (let at = 0; at < keys.length; at += FILTER_LIST_MAX) {
    parts.push(filterBy(property, { $in: keys.slice(at, at + FILTER_LIST_MAX) }) ?? {})
  }
  return { $or: parts }
}
