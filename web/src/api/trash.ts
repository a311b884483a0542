import type { Trashed } from '@kith/contract/app/trash'
import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { type PageOf, searchOf } from './page.ts'

/** Deleted records that can still be restored, of one resource or of all. */
export function trashQuery(slug: string, resource: ResourceName | undefined, page: number) {
  return queryOptions({
    queryKey: [slug, 'trash', resource, page],
    queryFn: ({ signal }) =>
      call<PageOf<Trashed>>('GET', `/w/${slug}/trash${searchOf({ resource, page, per_page: 50 })}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

export function restoreRecord(slug: string, resource: string, id: string): Promise<unknown> {
  return call('PUT', `/w/${slug}/v1/${resource}/${id}/restore`)
}
