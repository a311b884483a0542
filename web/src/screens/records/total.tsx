import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { useSlug } from '../../api/workspace.ts'
import { formatNumber } from '../../format/numbers.ts'
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

/** Taken from the first page, which the list fetches. */
export function useTotal({ resource, query }: Props): number | undefined {
  const { data } = useQuery({ ...pageQuery(useSlug(), resource, { query, page: 1 }), enabled: false })
  return data?.meta.total
}
