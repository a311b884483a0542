import { useDroppable } from '@dnd-kit/core'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Field } from '../../api/fields.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { formatNumber } from '../../format/numbers.ts'
import { useOpenTasks } from '../../properties/task-state.ts'
import { counted, useAppearance } from '../../resources.ts'
import { joined, type ListQuery } from '../records/list-query.ts'
import { addDays } from './days.ts'
import { besideDay, Event, type WeekEdge } from './event.tsx'

/** The open tasks that a week does not show, and how many more there are than were loaded. */
type Beyond = { records: readonly ApiRecord[]; moreOverdue: number; moreLater: number }

/** More would not be read. The list has them. */
const SHOWN_MAX = 30

/** Loads the overdue tasks, if this is the week of today, and the tasks that are due after the week. */
export function useBeyondWeek(
  query: ListQuery,
  { field, days, today, enabled }: { field: Field; days: readonly string[]; today: string; enabled: boolean },
): Beyond {
  const slug = useSlug()
  const open = joined(query.filter, useOpenTasks())
  const [first = today] = days
  const ask = (filter: Record<string, unknown>) => ({ ...query, filter: joined(open, filter) ?? {} })
  const { data: overdue } = useQuery({
    ...beyondQuery(slug, ask(besideDay(field, '$lt', first))),
    enabled: enabled && days.includes(today),
  })
  const { data: later } = useQuery({
    ...beyondQuery(slug, ask(besideDay(field, '$gte', dayAfter(days, today)))),
    enabled,
  })
  if (!enabled) return { records: [], moreOverdue: 0, moreLater: 0 }
  const isThisWeek = days.includes(today)
  const more = (page: RecordPage | undefined) => (page ? page.meta.total - page.data.length : 0)
  return {
    records: [...((isThisWeek && overdue?.data) || []), ...(later?.data ?? [])],
    moreOverdue: isThisWeek ? more(overdue) : 0,
    moreLater: more(later),
  }
}

function beyondQuery(slug: string, query: ListQuery) {
  return queryOptions({
    queryKey: [...recordsKey(slug, 'tasks'), 'beyond', query],
    queryFn: ({ signal }) => {
      const body = { per_page: SHOWN_MAX, ...query }
      return call<RecordPage>('POST', `/w/${slug}/v1/tasks/query`, { body, signal })
    },
    placeholderData: keepPreviousData,
  })
}

export function dayAfter(days: readonly string[], today: string): string {
  return addDays(days.at(-1) ?? today, 1)
}

/** The loaded tasks before and after a week, and those that were moved there and are not saved yet. */
export function edgesOf(
  byDay: ReadonlyMap<string, readonly ApiRecord[]>,
  {
    days,
    today,
    beyond,
    moved,
  }: { days: readonly string[]; today: string; beyond: Beyond; moved: ReadonlySet<string> },
): { overdue: WeekEdge; later: WeekEdge } {
  const [first = today] = days
  const after = dayAfter(days, today)
  // The tasks of the week before are still there while another week loads.
  const known = new Set([...beyond.records.map(({ id }) => id), ...moved])
  const among = (isIn: (day: string) => boolean) =>
    [...byDay]
      .filter(([day]) => isIn(day))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, records]) => records.filter(({ id }) => known.has(id)))
  return {
    overdue: {
      label: 'Overdue',
      day: addDays(first, -1),
      records: among((day) => day < first),
      more: beyond.moreOverdue,
    },
    later: { label: 'Later', day: after, records: among((day) => day >= after), more: beyond.moreLater },
  }
}

/** A line of tasks above or below the days. */
export function EdgeLine({ edge, field, movable }: { edge: WeekEdge; field: Field; movable: boolean }) {
  const { label, day, records, more } = edge
  const words = useAppearance('tasks')
  const { setNodeRef, isOver } = useDroppable({ id: day })
  return (
    <section
      ref={setNodeRef}
      aria-label={`${label}, ${counted(records.length + more, words)}`}
      className={classNames(
        'flex min-h-10 shrink-0 flex-wrap items-center gap-1 border-b border-line py-1.5 md:max-h-28 md:overflow-y-auto md:px-4',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <h3 className="w-full text-xs md:w-16 font-medium text-quiet">{label}</h3>
      {records.map((record) => (
        <div key={record.id} className="w-full min-w-0 md:w-auto md:max-w-60">
          <Event record={record} field={field} movable={movable} withDay />
        </div>
      ))}
      {more > 0 && <span className="px-1 text-xs text-quiet">and {formatNumber(more)} more</span>}
      {records.length === 0 && <span className="text-xs text-faint">Nothing.</span>}
    </section>
  )
}
