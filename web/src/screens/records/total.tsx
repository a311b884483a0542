import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { useSlug } from '../../api/workspace.ts'
import { formatNumber } from '../../format/numbers.ts'
import type { ListQuery } from './list-query.ts'
import { pageQuery } from './record-window.ts'

/** How many records the list has, as its first page tells. */
export function Total({ resource, query }: { resource: ResourceName; query: ListQuery }) {
  const { data } = useQuery({ ...pageQuery(useSlug(), resource, query, 1), enabled: false })
  if (!data) return null
  return (
    <span data-numeric className="text-sm text-faint">
      {formatNumber(data.meta.total)}
    </span>
  )
}
