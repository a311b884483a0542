import { type ActivityKind, activityKinds } from '@kith/contract/app/activity'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { threadQuery } from '../../api/comments.ts'
import { type ActivityItem, type ActivityPage, activityQuery } from '../../api/history.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useResource, useSchema } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { formatDayExactly, formatDayNear, toLocalDay } from '../../format/moments.ts'
import { backReferencesOf } from '../../properties/back-references.ts'
import { type IncludedRecords, includedIn } from '../../properties/related.ts'
import { appearanceIn } from '../../resources.ts'
import { viewOf } from './activity-views.tsx'
import { CommentThread } from './comment-thread.tsx'
import { Composer } from './composer.tsx'

/** What happened to a record, by day, the latest first. Notes, tasks and comments are added on top of it. */
export function Timeline({ record }: { record: ApiRecord }) {
  const [kind, setKind] = useState<ActivityKind>()
  const { role } = useWorkspace()
  const linked = backReferencesOf(useResource(record.type)).filter(
    ({ resource }) => resource === 'notes' || resource === 'tasks',
  )
  const slug = useSlug()
  const query = useInfiniteQuery(activityQuery(slug, record, kind))
  const { comment } = useSearch({ strict: false })
  const { data: linkedTo } = useQuery({ ...threadQuery(slug, record, comment ?? ''), enabled: comment !== undefined })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  return (
    <>
      {roleMay(role, 'create') && <Composer record={record} kin={linked} />}
      {comment !== undefined && linkedTo && <LinkedComment key={comment} page={linkedTo} of={record} />}
      <KindFilter kind={kind} onKind={setKind} linked={linked.length > 0} />
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <TimelineSkeleton />}
      {data && <Days pages={data.pages} of={record} without={linkedTo?.data[0]?.id} />}
      {data?.pages[0]?.data.length === 0 && (
        <p className="py-3 text-sm text-faint">{kind ? 'Nothing of this kind yet.' : 'No activity yet.'}</p>
      )}
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Earlier
        </Button>
      )}
    </>
  )
}

/** The thread that the address leads to, however long ago it was. */
function LinkedComment({ page: { data }, of }: { page: ActivityPage; of: ApiRecord }) {
  const place = useRef<HTMLElement>(null)
  const navigate = useNavigate()
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <section ref={place} aria-label="Linked comment" className="mt-1 mb-4">
      <div className="mb-1 flex items-center justify-between">
        <h2 className="text-xs font-medium text-quiet">Linked comment</h2>
        <IconButton
          size="small"
          label="Close the linked comment"
          onClick={() => navigate({ to: '.', search: {}, replace: true })}
        >
          <X />
        </IconButton>
      </div>
      <ol>
        {data.map((item) => item.kind === 'comments' && <CommentThread key={item.id} thread={item} record={of} />)}
      </ol>
      {data.length === 0 && <p className="text-sm text-faint">This comment was deleted.</p>}
    </section>
  )
}

/** `without`: the id of an item that is shown elsewhere. */
function Days(props: { pages: readonly ActivityPage[]; of: ApiRecord; without: string | undefined }) {
  const { pages, of, without } = props
  return daysIn(pages, without).map(({ day, items }) => (
    <section key={day} aria-label={formatDayNear(day)} className="mt-4">
      <h2 title={formatDayExactly(day)} className="mb-2 text-xs font-medium text-quiet">
        {formatDayNear(day)}
      </h2>
      <ol className="grid gap-3">
        {items.map(({ item, included }) => {
          const { Item } = viewOf(item.kind)
          return <Item key={item.id} item={item} included={included} of={of} />
        })}
      </ol>
    </section>
  ))
}

type Day = { day: string; items: { item: ActivityItem; included: IncludedRecords }[] }

/** The items by the reader's day. */
function daysIn(pages: readonly ActivityPage[], without: string | undefined): Day[] {
  const days: Day[] = []
  for (const page of pages) {
    const included = includedIn(page)
    for (const item of page.data) {
      if (item.id === without) continue
      const day = toLocalDay(item.at)
      const last = days.at(-1)
      if (last?.day === day) last.items.push({ item, included })
      else days.push({ day, items: [{ item, included }] })
    }
  }
  return days
}

function TimelineSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading" className="mt-5 grid gap-4">
      {[...'123'].map((line) => (
        <div key={line} className="flex items-center gap-2">
          <Skeleton className="size-5 rounded-full" />
          <Skeleton className="w-1/2" />
        </div>
      ))}
    </div>
  )
}

/** Which kind of activity is shown. */
function KindFilter(props: {
  kind: ActivityKind | undefined
  onKind(kind: ActivityKind | undefined): void
  /** Whether notes and tasks can be linked to the record. */
  linked: boolean
}) {
  const { kind, onKind, linked } = props
  const schema = useSchema()
  const kinds = activityKinds.filter((one) => linked || (one !== 'notes' && one !== 'tasks'))
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here
    <div role="group" aria-label="Show" className="-ml-2 flex flex-wrap gap-0.5">
      {[undefined, ...kinds].map((one) => (
        <Button
          key={one ?? 'all'}
          size="small"
          look="quiet"
          active={kind === one}
          aria-pressed={kind === one}
          onClick={() => onKind(one)}
        >
          {one === undefined ? 'All' : (viewOf(one).name ?? appearanceIn(schema, one).name)}
        </Button>
      ))}
    </div>
  )
}
