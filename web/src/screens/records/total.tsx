import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { summaryQuery } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { formatNumber } from '../../format/numbers.ts'
import { useGrouping } from './groups/grouping.ts'
import type { ListQuery } from './list-query.ts'
import { pageQuery } from './record-window.ts'

type Props = { resource: ResourceName; query: ListQuery }

/** How many records the list has. */
export function Total(props: Props) {
  const total = useTotal(props)
  if (total === undefined) return null
  return (
    <span data-numeric className="text-sm text-faint">
      {formatNumber(total)}
    </span>
  )
}

/** Taken from the first page, which the list fetches. A list in groups fetches no such page. */
export function useTotal({ resource, query }: Props): number | undefined {
  const slug = useSlug()
  const isGrouped = useGrouping(resource) !== undefined
  const page = useQuery({ ...pageQuery(slug, resource, { query, page: 1 }), enabled: false })
  const asked = { resource, measure: 'count' as const, ...(query.filter && { filter: query.filter }) }
  const summary = useQuery({ ...summaryQuery(slug, asked), enabled: isGrouped })
  return isGrouped ? summary.data?.data[0]?.count : page.data?.meta.total
}
