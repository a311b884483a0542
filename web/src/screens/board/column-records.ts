import type { ResourceName } from '@kith/contract/resource'
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type RecordPage, recordsKey } from '../../api/records.ts'
import type { ListQuery } from '../records/list-query.ts'

export type ColumnPages = InfiniteData<RecordPage, number>

/** More than fit on a screen. */
const PER_PAGE = 15

/** The records of one column, a few at a time. */
export function columnQuery(
  slug: string,
  resource: ResourceName,
  { columnId, query }: { columnId: string; query: ListQuery },
) {
  return infiniteQueryOptions({
    queryKey: [...recordsKey(slug, resource), 'column', columnId, query],
    queryFn: ({ pageParam, signal }) => {
      const body = { per_page: PER_PAGE, page: pageParam, ...query }
      return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.current_page < meta.last_page ? meta.current_page + 1 : undefined),
  })
}
