import type { Audited } from '@kith/contract/app/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type ApiRecord, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { HistoryEntry } from './history-entry.tsx'

type Page = { data: Audited[]; meta: { next_cursor: string | null } }

/** Who changed what of a record, the latest first. */
export function History({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...recordsKey(slug, record.type), 'history', record.id],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? '' : `&cursor=${pageParam}`
      return call<Page>('GET', `/w/${slug}/audit?resource=${record.type}&record_id=${record.id}${cursor}`, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
  })
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!data) return <Skeleton className="w-1/2" />
  const entries = data.pages.flatMap((page) => page.data)
  return (
    <>
      <ol className="grid gap-3">
        {entries.map((entry) => (
          <HistoryEntry key={entry.id} entry={entry} of={record.id} />
        ))}
      </ol>
      {entries.length === 0 && <p className="text-sm text-faint">No changes yet.</p>}
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Earlier
        </Button>
      )}
    </>
  )
}
