import { resourceNames } from '@kith/contract/resource'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { searchOf } from './page.ts'

/** What the audit log tells of. */
export const auditedKinds = [...resourceNames, 'members', 'tokens', 'custom_fields', 'workspace'] as const
export type AuditedKind = (typeof auditedKinds)[number]

export type Audited = {
  id: string
  at: string
  /** Null for the command line. */
  actor: { id: string; name: string } | null
  door: string
  token: { id: string; name: string | null } | null
  action: string
  resource: AuditedKind
  record_id: string
  record_name: string | null
  changes: { field: string; label: string; before: unknown; after: unknown }[]
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
