import { resourceNames } from '@kith/contract/resource'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatAgo, formatMomentExactly } from '../../format/moments.ts'
import { RecordName } from '../../properties/record-name.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { appearances } from '../../resources.ts'
import { Panel } from './panel.tsx'

const SHOWN = 8

/** The records that were made or changed last, by anyone. */
export function Touched() {
  const slug = useSlug()
  const results = useQueries({
    queries: resourceNames.map((resource) => ({
      queryKey: [...recordsKey(slug, resource), 'touched'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, {
          body: { sort: '-updated_at', per_page: SHOWN },
          signal,
        }),
    })),
  })
  const failed = results.find(({ data, error }) => error && !data)
  const retry = () => {
    for (const { error, refetch } of results) if (error) void refetch()
  }
  const records = results
    .flatMap(({ data }) => data?.data ?? [])
    .sort((one, other) => other.attributes.updated_at.localeCompare(one.attributes.updated_at))
    .slice(0, SHOWN)
  return (
    <Panel title="Recently changed">
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {results.some(({ isPending }) => isPending) && records.length === 0 && <Skeleton className="mt-2 w-2/3" />}
      <ul>
        {records.map((record) => (
          <Line key={record.id} record={record} />
        ))}
      </ul>
    </Panel>
  )
}

function Line({ record }: { record: ApiRecord }) {
  const { icon: Icon, one } = appearances[record.type]
  const { updated_at } = record.attributes
  return (
    <li className="-mx-2 flex h-9 items-center gap-2 rounded-md px-2 hover:bg-hover">
      {record.type === 'tasks' ? (
        <TaskCheck task={record} />
      ) : (
        <Icon aria-label={one} className="size-4 shrink-0 text-faint" />
      )}
      <RecordName record={record} />
      <time dateTime={updated_at} title={formatMomentExactly(updated_at)} className="shrink-0 text-xs text-quiet">
        {formatAgo(updated_at)}
      </time>
    </li>
  )
}
