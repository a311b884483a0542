import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { asWord } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import type { Field } from '../../api/fields.ts'
import type { PropertyChange } from '../../api/patch-record.ts'
import { shownFailure } from '../../api/problems.ts'
import { type ApiRecord, type SummaryGroup, summaryQuery } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { type Choice, idIn } from '../../fields/values.ts'
import { customChange, fieldChange } from '../../properties/property-change.ts'
import type { RelatedRecord } from '../../properties/related.ts'
import { EMPTY } from '../records/groups/folding.ts'
import type { FilterObject } from '../records/list-state.ts'

/** A column of a board: the records that have one option, that name one record or member, or that have none. */
export type BoardColumn = {
  id: string
  label: string
  color: string | null
  /** The value that its cards have. */
  value: Choice | RelatedRecord | null
}

/** More would not be found by scrolling. */
const REFERENCED_MAX = 50

/**
 * The columns of a field. Options are in their own order. Those of a reference field are the records that are named
 * most, by name; `members` have a column each in any case.
 */
export function columnsOf(
  field: Field,
  { groups, members }: { groups: readonly SummaryGroup[]; members: readonly Pick<RelatedRecord, 'id' | 'name'>[] },
): BoardColumn[] {
  const empty = { id: EMPTY, label: `No ${asWord(field.name)}`, color: null, value: null }
  if (!fieldTypes[field.type].refersTo) {
    const options = field.options.map(({ id, label, color }) => ({ id, label, color, value: { id, label } }))
    return [...options, empty]
  }
  const type = targetOf(field)
  const named = groups.flatMap(({ key, label }) => (key === null || key === 'other' ? [] : [{ id: key, name: label }]))
  const known = new Set(named.map(({ id }) => id))
  const others = type === 'users' ? members.filter(({ id }) => !known.has(id)) : []
  const shown = [...named, ...others].slice(0, REFERENCED_MAX)
  const columns = shown.map(({ id, name }) => ({ id, label: name, color: null, value: { id, type, name } }))
  return [...columns.toSorted((one, other) => one.label.localeCompare(other.label)), empty]
}

/** How many records have no column, because too many others are named. */
export function leftOut(groups: readonly SummaryGroup[], columns: readonly BoardColumn[]): number {
  const shown = new Set(columns.map(({ id }) => id))
  return groups.reduce((sum, { key, count }) => sum + (shown.has(key ?? EMPTY) ? 0 : count), 0)
}

/** The records of a column. */
export function columnFilter({ code, type }: Field, { value }: BoardColumn): FilterObject {
  const test = value && (fieldTypes[type].refersTo ? { $in: [value.id] } : { $eq: value.id })
  return { custom_fields: { [code]: test ?? { $is_empty: true } } }
}

/** The change that gives a record the value of a column. */
export function changeTo(field: Field, value: BoardColumn['value']): PropertyChange {
  if (!fieldTypes[field.type].refersTo) return customChange(field, value && { ...value })
  return fieldChange(field, value && 'name' in value ? value : undefined)
}

/** The value that a record has now, to give it back. */
export function valueIn(record: ApiRecord, field: Field, columns: readonly BoardColumn[]): BoardColumn['value'] {
  const id = columnIn(record, field)
  const type = targetOf(field)
  return columns.find((one) => one.id === id)?.value ?? (id === EMPTY ? null : { id, type, name: '' })
}

/** The column of a record. */
export function columnIn({ attributes }: ApiRecord, { code }: Field): string {
  return idIn(attributes.custom_fields[code]) ?? EMPTY
}

/** The numbers in the head of a column; undefined until they are known. */
export type ColumnTotals = { count: number | undefined; sum: number | null | undefined }

/**
 * How many cards each column has, and their value. Counts are read from an index and come at once; sums take
 * longer, so that they wait for the counts and let the cards pass. With a filter both take as long, so that the sums
 * bring the counts.
 */
export function useColumnTotals(
  resource: ResourceName,
  { filter, field, summed }: { filter: FilterObject | undefined; field: Field; summed: Field | undefined },
) {
  const slug = useSlug()
  const asked = { resource, ...(filter && { filter }), group_by: `custom_fields.${field.code}` }
  const together = summed !== undefined && filter !== undefined
  const counts = useQuery({ ...summaryQuery(slug, { ...asked, measure: 'count' }), enabled: !together })
  const sums = useQuery({
    ...summaryQuery(slug, { ...asked, measure: 'sum', field: summed?.code ?? '' }),
    enabled: summed !== undefined && (together || counts.data !== undefined),
  })
  const { data: counted, error, refetch } = together ? sums : counts
  const groupIn = (groups: typeof counted, id: string) => groups?.data.find(({ key }) => (key ?? EMPTY) === id)
  return {
    refetch,
    groups: counted?.data,
    error: shownFailure({ data: counted, error }),
    isEmpty: counted?.data.every(({ count }) => count === 0) ?? false,
    totalsOf: (id: string): ColumnTotals => ({
      count: counted && (groupIn(counted, id)?.count ?? 0),
      sum: summed && sums.data && (groupIn(sums.data, id)?.value ?? null),
    }),
  }
}
