import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import type { Field } from '../../api/fields.ts'
import { type ApiRecord, summaryQuery } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { choiceIn } from '../../fields/values.ts'
import type { FilterObject } from '../records/list-state.ts'

/** A column of a board: the records that have one option, or none. */
export type BoardColumn = {
  id: string
  label: string
  color: string | null
  option: { id: string; label: string } | null
}

export const EMPTY = 'empty'

export function columnsOf(field: Field): BoardColumn[] {
  const options = field.options.map(({ id, label, color }) => ({ id, label, color, option: { id, label } }))
  return [...options, { id: EMPTY, label: `No ${field.name.toLowerCase()}`, color: null, option: null }]
}

/** The records of a column. */
export function columnFilter(field: Field, { option }: BoardColumn): FilterObject {
  return { custom_fields: { [field.code]: option ? { $eq: option.id } : { $is_empty: true } } }
}

/** The column of a record. */
export function columnIn({ attributes }: ApiRecord, { code }: Field): string {
  return choiceIn(attributes.custom_fields[code])?.id ?? EMPTY
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
  const { data: counted, refetch } = together ? sums : counts
  const groupIn = (groups: typeof counted, id: string) => groups?.data.find(({ key }) => (key ?? EMPTY) === id)
  return {
    refetch,
    isEmpty: counted?.data.every(({ count }) => count === 0) ?? false,
    totalsOf: (id: string): ColumnTotals => ({
      count: counted && (groupIn(counted, id)?.count ?? 0),
      sum: summed && sums.data && (groupIn(sums.data, id)?.value ?? null),
    }),
  }
}
