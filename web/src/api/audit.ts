import type { Audited, AuditedKind } from '@kith/contract/app/audit'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { searchOf } from './page.ts'

/** Where the whole log is downloaded as a file. */
export function auditFile(slug: string, format: 'csv' | 'ndjson', resource: AuditedKind | undefined): string {
  return `/api/app/w/${slug}/audit/export${searchOf({ format, resource })}`
}

type AuditPage = { data: Audited[]; meta: { next_cursor: string | null } }

/** Who changed what, latest first; in parts, as one reads on. */
export function auditQuery(slug: string, resource: AuditedKind | undefined) {
  return infiniteQueryOptions({
    queryKey: [slug, 'audit', resource],
    queryFn: ({ pageParam: cursor, signal }) =>
      call<AuditPage>('GET', `/w/${slug}/audit${searchOf({ resource, cursor, per_page: 50 })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
    staleTime: 0,
  })
}
