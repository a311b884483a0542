import type { Activity, ActivityKind } from '@kith/contract/app/activity'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { searchOf } from './page.ts'
import { type ApiRecord, activityKey, type IncludedObject } from './records.ts'

export type ActivityItem = Activity<ApiRecord>

export type ActivityPage = {
  data: ActivityItem[]
  included: IncludedObject[]
  meta: { next_cursor: string | null }
}

/** What happened to a record, the latest first, of one kind or of all. */
export function activityQuery(slug: string, { type, id }: ApiRecord, kinds: ActivityKind | undefined) {
  return infiniteQueryOptions({
    queryKey: [...activityKey(slug), type, id, kinds],
    queryFn: ({ pageParam: cursor, signal }) => {
      const search = searchOf({ resource: type, record_id: id, kinds, cursor })
      return call<ActivityPage>('GET', `/w/${slug}/activity${search}`, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
  })
}
