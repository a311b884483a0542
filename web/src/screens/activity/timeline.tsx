import type { ActivityKind } from '@kith/contract/app/activity'
import { roleMay } from '@kith/contract/permissions'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ActivityPage, activityQuery } from '../../api/activity.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatDayExactly, formatDayNear, toLocalDay } from '../../format/moments.ts'
import { includedIn } from '../../properties/related.ts'
import { kinOf } from '../record/kin.ts'
import { Composer } from './composer.tsx'
import { KindFilter } from './kind-filter.tsx'
import { type Shown, TimelineItem } from './timeline-item.tsx'

/** What happened to a record, by day, the latest first. Notes and tasks are added on top of it. */
export function Timeline({ record }: { record: ApiRecord }) {
  const [kind, setKind] = useState<ActivityKind>()
  const { role } = useWorkspace()
  const linked = kinOf(record.type).filter(({ resource }) => resource === 'notes' || resource === 'tasks')
  const query = useInfiniteQuery(activityQuery(useSlug(), record, kind))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  return (
    <>
      {linked.length > 0 && roleMay(role, 'create') && <Composer record={record} kin={linked} />}
      <KindFilter kind={kind} onKind={setKind} linked={linked.length > 0} />
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <TimelineSkeleton />}
      {data && <Days pages={data.pages} of={record.id} />}
      {data?.pages[0]?.data.length === 0 && <p className="py-3 text-sm text-faint">Nothing of this kind yet.</p>}
      {hasNextPage && (
        <Button size="small" className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Earlier
        </Button>
      )}
    </>
  )
}

function Days({ pages, of }: { pages: readonly ActivityPage[]; of: string }) {
  return daysIn(pages).map(({ day, items }) => (
    <section key={day} aria-label={formatDayNear(day)} className="mt-4">
      <h2 title={formatDayExactly(day)} className="mb-2 text-xs font-medium text-quiet">
        {formatDayNear(day)}
      </h2>
      <ol className="grid gap-3">
        {items.map((shown) => (
          <TimelineItem key={shown.item.id} {...shown} of={of} />
        ))}
      </ol>
    </section>
  ))
}

/** The items by the reader's day. */
function daysIn(pages: readonly ActivityPage[]): { day: string; items: Shown[] }[] {
  const days: { day: string; items: Shown[] }[] = []
  for (const page of pages) {
    const included = includedIn(page)
    for (const item of page.data) {
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
