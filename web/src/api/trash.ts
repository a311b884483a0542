import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { type PageOf, searchOf } from './page.ts'

export type Trashed = {
  resource: ResourceName
  id: string
  name: string
  deleted_at: string
  deleted_by: { id: string; name: string } | null
  restorable_until: string
  /** The merge by which it was deleted: restoring the record undoes it. */
  merge_id: string | null
}

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

export function restoreRecord(slug: string, resource: ResourceName, id: string): Promise<unknown> {
  return call('POST', `/w/${slug}/trash/${resource}/${id}/restore`, { body: {} })
}
