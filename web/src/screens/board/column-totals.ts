import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import type { Field } from '../../api/fields.ts'
import { summaryQuery } from '../../api/summaries.ts'
import { useSlug } from '../../api/workspace.ts'
import type { FilterObject } from '../records/list-state.ts'
import { EMPTY } from './columns.ts'

/** The numbers in the head of a column; undefined until they are known. */
export type Totals = { count: number | undefined; sum: number | null | undefined }

type Asked = { filter: FilterObject | undefined; field: Field; summed: Field | undefined }

/**
 * How many cards each column has and what they are worth. Counts are read from an index and come at once; sums take
 * longer, so that they wait for the counts and let the cards pass. With a filter both take as long, so that the sums
 * bring the counts.
 */
export function useColumnTotals(resource: ResourceName, { filter, field, summed }: Asked) {
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
    totalsOf: (id: string): Totals => ({
      count: counted && (groupIn(counted, id)?.count ?? 0),
      sum: summed && sums.data && (groupIn(sums.data, id)?.value ?? null),
    }),
  }
}
