import type { Activity, ActivityKind } from '@kith/contract/app/activity'
import type { AuditEntryRow, AuditedKind } from '@kith/contract/app/audit'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, searchOf } from './call.ts'
import { type ApiRecord, activityKey, type IncludedObject } from './records.ts'

/** An item of some kinds. */
export type ActivityItem<Kind extends ActivityKind = ActivityKind> = Activity<ApiRecord, Kind>

export type ActivityPage = {
  data: ActivityItem[]
  included: IncludedObject[]
  meta: { next_cursor: string | null }
}

/** What happened to a record, the latest first, of one kind or of all. */
export function activityQuery(slug: string, { type, id }: ApiRecord, kinds: string | undefined) {
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

/** One entry of a record's history with its values in full. It never changes, except that they are kept for 30 days. */
export function entryQuery(
  slug: string,
  { id, resource, of }: Pick<AuditEntryRow, 'id' | 'resource'> & { of: string },
) {
  return queryOptions({
    queryKey: [...activityKey(slug), 'entry', id],
    queryFn: async ({ signal }) => {
      const path = `/w/${slug}/history/${id}${searchOf({ resource, record_id: of })}`
      return (await call<{ data: AuditEntryRow }>('GET', path, { signal })).data
    },
  })
}

/** Where the whole log is downloaded as a file. */
export function auditFile(slug: string, format: 'csv' | 'ndjson', resource: AuditedKind | undefined): string {
  return `/api/app/w/${slug}/audit/export${searchOf({ format, resource })}`
}

/** The audit log, latest first, loaded page by page. */
export function auditQuery(slug: string, resource: AuditedKind | undefined) {
  return infiniteQueryOptions({
    queryKey: [slug, 'audit', resource],
    queryFn: ({ pageParam: cursor, signal }) =>
      call<{ data: AuditEntryRow[]; meta: { next_cursor: string | null } }>(
        'GET',
        `/w/${slug}/audit${searchOf({ resource, cursor, per_page: 50 })}`,
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    staleTime: 0,
  })
}
