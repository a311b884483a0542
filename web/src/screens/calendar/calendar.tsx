import {
  type Announcements,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardCode,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Field } from '../../api/fields.ts'
import { shownFailure } from '../../api/problems.ts'
import { type ApiRecord, nameOf, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { ErrorState } from '../../components/states.tsx'
import { putChange, useDraftsOf, withDraft } from '../../drafts/property-draft.ts'
import { textIn } from '../../fields/values.ts'
import { firstDay } from '../../format/dates.ts'
import {
  formatDayExactly,
  formatDayNear,
  formatDays,
  formatMonth,
  formatWeekday,
  toLocalDay,
} from '../../format/moments.ts'
import { formatNumber } from '../../format/numbers.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { propertyOf } from '../../properties/property.ts'
import { customChange } from '../../properties/property-change.ts'
import { DUE_DATE } from '../../properties/task-state.ts'
import { counted, useAppearance } from '../../resources.ts'
import { useBoardQuery } from '../board/board-choice.ts'
import { joined, type ListQuery } from '../records/list-query.ts'
import { useListState } from '../records/list-state.ts'
import { useIsNarrow } from '../records/narrow.ts'
import { addDays, daysShown, isDay, type Span, stepped } from './days.ts'
import { betweenDays, type CalendarProps, dayOf, Event, EventFace, NewOnDay, valueOn } from './event.tsx'
import { dayAfter, EdgeLine, edgesOf, useBeyondWeek } from './week-edges.tsx'

/** The records of a list by the days of a date field: a month, a week, or an agenda where room is short. */
export function Calendar({ resource, field }: { resource: ResourceName; field: Field }) {
  const [state] = useListState()
  const narrow = useIsNarrow()
  const today = toLocalDay(new Date().toISOString())
  const day = state.day !== undefined && isDay(state.day) ? state.day : today
  const span = state.span ?? 'month'
  const days = daysShown({ span, day, firstDay: firstDay() })
  const [first = day] = days
  const { filter: asked, ...query } = useBoardQuery(resource)
  const filter = joined(asked, betweenDays(field, first, addDays(days.at(-1) ?? day, 1)))
  const sort = `custom_fields.${field.code}`
  const { data, error, refetch } = useQuery(
    calendarQuery(useSlug(), resource, { ...query, sort, ...(filter && { filter }) }),
  )
  const failure = shownFailure({ data, error })
  const isWeekOfTasks = span === 'week' && resource === 'tasks' && field.code === DUE_DATE
  const beyond = useBeyondWeek(
    { ...query, sort, ...(asked && { filter: asked }) },
    { field, days, today, enabled: isWeekOfTasks },
  )
  const drafts = useDraftsOf(resource, field)
  const loaded = new Map([...(data?.data ?? []), ...beyond.records].map((record) => [record.id, record]))
  const records = [...loaded.values()].map((record) => withDraft(record, drafts.get(record.id)))
  const byDay = placed(records, field)
  const month = span === 'month' ? day.slice(0, 7) : undefined
  const edges = isWeekOfTasks ? edgesOf(byDay, { days, today, beyond, moved: new Set(drafts.keys()) }) : undefined
  const shown = { resource, field, days, today, month, byDay, edges }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <CalendarHead span={span} day={day} days={days} today={today} />
      {data && data.meta.total > SHOWN_MAX && (
        <p role="status" className="border-b border-line px-4 py-1.5 text-xs text-quiet">
          These are the first {formatNumber(SHOWN_MAX)} of {formatNumber(data.meta.total)}. Filter the list, or look at
          one week, to see the rest.
        </p>
      )}
      {failure && <ErrorState error={failure} onRetry={refetch} />}
      {!failure && (narrow ? <Agenda {...shown} /> : <MonthGrid {...shown} />)}
    </div>
  )
}

function placed(records: readonly ApiRecord[], field: Field): Map<string, ApiRecord[]> {
  const byDay = new Map<string, ApiRecord[]>()
  for (const record of records) {
    const day = dayOf(record, field)
    if (day !== undefined) byDay.set(day, [...(byDay.get(day) ?? []), record])
  }
  return byDay
}

const PER_PAGE = 100

/** A calendar shows at most this many pages. More would not be readable. */
const PAGES = 5

const SHOWN_MAX = PER_PAGE * PAGES

/** All records of some days, in the order of their dates, up to a limit. */
function calendarQuery(slug: string, resource: ResourceName, query: ListQuery) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'calendar', query],
    queryFn: async ({ signal }) => {
      const load = (page: number) => {
        const body = { per_page: PER_PAGE, page, ...query }
        return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
      }
      const first = await load(1)
      const data = [...first.data]
      const included = [...(first.included ?? [])]
      for (let page = 2; page <= Math.min(PAGES, first.meta.last_page); page++) {
        const more = await load(page)
        data.push(...more.data)
        included.push(...(more.included ?? []))
      }
      return { data, included, meta: first.meta }
    },
    // The last month stays until the next one has come.
    placeholderData: keepPreviousData,
  })
}

/** The days of a month that have records, and today, or all days of a week, one below the other. */
function Agenda({ resource, field, days, today, month, byDay, edges }: CalendarProps) {
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const shown = days.filter(
    (day) => month === undefined || (day.startsWith(month) && (byDay.has(day) || day === today)),
  )
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-3 py-2">
      {shown.length === 0 && <p className="py-6 text-sm text-faint">Nothing on these days.</p>}
      {edges && edges.overdue.records.length > 0 && <EdgeLine edge={edges.overdue} field={field} movable={false} />}
      {shown.map((day) => (
        <section
          key={day}
          aria-label={formatDayExactly(day)}
          aria-current={day === today ? 'date' : undefined}
          className="group border-b border-line py-2 last:border-b-0"
        >
          <div className="mb-1 flex items-center gap-2">
            <h3 className={`text-xs font-medium ${day === today ? 'text-accent' : 'text-quiet'}`}>
              {formatWeekday(day)}, {formatDayNear(day)}
            </h3>
            {mayCreate && <NewOnDay resource={resource} field={field} day={day} />}
          </div>
          <div className="grid gap-1">
            {(byDay.get(day) ?? []).map((record) => (
              <EventFace key={record.id} record={record} field={field} />
            ))}
            {!byDay.has(day) && <p className="text-xs text-faint">{day === today ? 'Nothing today.' : 'Nothing.'}</p>}
          </div>
        </section>
      ))}
      {edges && <EdgeLine edge={edges.later} field={field} movable={false} />}
    </div>
  )
}

const spans: readonly { span: Span; label: string }[] = [
  { span: 'month', label: 'Month' },
  { span: 'week', label: 'Week' },
]

/** Which month or week is shown, and the way to others. */
function CalendarHead({ span, day, days, today }: { span: Span; day: string; days: readonly string[]; today: string }) {
  const [, change] = useListState()
  const go = (to: string) => change({ day: to === today ? undefined : to })
  useShortcut('t', 'Today', () => go(today))
  return (
    <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-3 md:px-4">
      <h2 aria-live="polite" className="min-w-0 truncate pr-2 text-sm font-medium">
        {span === 'month' ? formatMonth(day) : formatDays(days[0] ?? day, days.at(-1) ?? day)}
      </h2>
      <IconButton label={`Previous ${span}`} onClick={() => go(stepped({ span, day }, -1))}>
        <ChevronLeft />
      </IconButton>
      <IconButton label={`Next ${span}`} onClick={() => go(stepped({ span, day }, 1))}>
        <ChevronRight />
      </IconButton>
      <Button look="quiet" className="px-2" onClick={() => go(today)}>
        Today
      </Button>
      <span className="flex-1" />
      {spans.map(({ span: one, label }) => (
        <Button
          key={one}
          look="quiet"
          // An agenda needs no other span.
          className="px-2 max-sm:hidden"
          active={span === one}
          aria-pressed={span === one}
          onClick={() => change({ span: one === 'month' ? undefined : one })}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

/** Weeks as rows. Records are dragged to another day by mouse, touch or keyboard. */
function MonthGrid({ resource, field, days, today, month, byDay, edges }: CalendarProps) {
  const [held, setHeld] = useState<ApiRecord>()
  const movable = roleMay(useWorkspace().role, 'update')
  const move = useMoveDay(field)
  const sensors = useSensors(
    // A click opens the record; only a pull of some pixels takes it.
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextDay }),
  )
  // What is moved behind a week is due on the day after it. Nothing is moved before it.
  const takes = (day: string) => days.includes(day) || (edges !== undefined && day === dayAfter(days, today))
  const drop = ({ active, over }: DragEndEvent) => {
    setHeld(undefined)
    const record = recordIn(active)
    if (record && over && takes(String(over.id)) && dayOf(record, field) !== over.id) move(record, String(over.id))
  }
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(7 * week, 7 * week + 7))
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ announcements: announcementsOf(takes), screenReaderInstructions: { draggable: instructions } }}
      onDragStart={({ active }) => setHeld(recordIn(active))}
      onDragEnd={drop}
      onDragCancel={() => setHeld(undefined)}
    >
      {edges && days.includes(today) && <EdgeLine edge={edges.overdue} field={field} movable={movable} />}
      <div aria-hidden className="grid shrink-0 grid-cols-7 border-b border-line">
        {days.slice(0, 7).map((day) => (
          <span key={day} className="truncate px-2 py-1 text-right text-xs text-quiet">
            {formatWeekday(day)}
          </span>
        ))}
      </div>
      <div
        className={classNames(
          'grid min-h-0 flex-1 overflow-y-auto',
          weeks.length > 1 && 'auto-rows-[minmax(7.5rem,1fr)]',
        )}
      >
        {weeks.map((week) => (
          <div key={week[0]} className="grid min-h-0 grid-cols-7 border-b border-line last:border-b-0">
            {week.map((day) => (
              <DayCell
                key={day}
                resource={resource}
                field={field}
                day={day}
                isToday={day === today}
                isFaint={month !== undefined && !day.startsWith(month)}
                records={byDay.get(day) ?? []}
                most={weeks.length > 1 ? MONTH_MOST : Number.POSITIVE_INFINITY}
                movable={movable}
              />
            ))}
          </div>
        ))}
      </div>
      {edges && <EdgeLine edge={edges.later} field={field} movable={movable} />}
      <DragOverlay dropAnimation={null}>
        {held && (
          <div className="rotate-1 cursor-grabbing">
            <EventFace record={held} field={field} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  )
}

/** So many records fit into a day of a month. */
const MONTH_MOST = 3

const instructions =
  'Press space to pick it up, the arrow keys to choose a day, space to put it down, escape to leave it where it was.'

const announcementsOf = (takes: (day: string) => boolean): Announcements => ({
  onDragStart: ({ active }) => `Picked up ${nameIn(active)}.`,
  onDragOver: ({ active, over }) => `${nameIn(active)} is over ${over ? formatDayExactly(String(over.id)) : 'no day'}.`,
  onDragEnd: ({ active, over }) =>
    over && takes(String(over.id))
      ? `${nameIn(active)} was put on ${formatDayExactly(String(over.id))}.`
      : `${nameIn(active)} stays.`,
  onDragCancel: ({ active }) => `${nameIn(active)} stays where it was.`,
})

type DragItem = { data: { current?: unknown } }

function nameIn(dragged: DragItem): string {
  return nameOf(recordIn(dragged) ?? { attributes: {} })
}

/** Each event carries its record. */
function recordIn({ data: { current } }: DragItem): ApiRecord | undefined {
  return typeof current === 'object' && current !== null && 'record' in current
    ? (current.record as ApiRecord)
    : undefined
}

const steps: Readonly<Record<string, number>> = {
  [KeyboardCode.Right]: 1,
  [KeyboardCode.Left]: -1,
  [KeyboardCode.Down]: 7,
  [KeyboardCode.Up]: -7,
}

/** Arrow keys move a dragged record by days and weeks. */
const toNextDay: KeyboardCoordinateGetter = (event, { context: { droppableRects, over, collisionRect } }) => {
  const step = steps[event.code]
  if (step === undefined || !over || !collisionRect) return undefined
  event.preventDefault()
  const next = droppableRects.get(addDays(String(over.id), step))
  return next && { x: next.left + (next.width - collisionRect.width) / 2, y: next.top + 4 }
}

/** Moves a record to another day. It is there at once, and saved when the service has stored it. */
function useMoveDay(field: Field): (record: ApiRecord, day: string) => void {
  const slug = useSlug()
  return (record, day) => {
    const before = record.attributes.custom_fields[field.code] ?? null
    const message = `Moved ${nameOf(record)} to ${formatDayNear(day)}`
    const told = { message, undo: customChange(field, before) }
    const change = customChange(field, valueOn(day, field, textIn(before)))
    putChange({ slug, property: propertyOf(field), record, told, direct: true }, change, 'waiting')
  }
}

/** One day of a calendar. */
function DayCell(props: {
  resource: ResourceName
  field: Field
  day: string
  isToday: boolean
  isFaint: boolean
  records: readonly ApiRecord[]
  /** More than so many are behind a button. */
  most: number
  movable: boolean
}) {
  const { resource, field, day, isToday, isFaint, records, most, movable } = props
  const words = useAppearance(resource)
  const { setNodeRef, isOver } = useDroppable({ id: day })
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const shown = records.length > most ? records.slice(0, most - 1) : records
  const rest = records.length - shown.length
  return (
    <section
      ref={setNodeRef}
      aria-label={`${formatDayExactly(day)}, ${counted(records.length, words)}`}
      aria-current={isToday ? 'date' : undefined}
      className={classNames(
        'group flex min-w-0 flex-col border-r border-line p-1 last:border-r-0',
        isFaint && 'bg-sunk',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <header className="flex h-6 shrink-0 items-center justify-between">
        {mayCreate ? <NewOnDay resource={resource} field={field} day={day} /> : <span />}
        <span
          data-numeric
          className={classNames(
            'grid h-5 min-w-5 place-items-center rounded-full px-1 text-xs',
            isToday ? 'bg-accent font-medium text-on-accent' : isFaint ? 'text-faint' : 'text-ink',
          )}
        >
          {Number(day.slice(8))}
        </span>
      </header>
      <div className="grid min-h-0 grid-cols-1 content-start gap-0.5 overflow-y-auto">
        {shown.map((record) => (
          <Event key={record.id} record={record} field={field} movable={movable} />
        ))}
        {rest > 0 && (
          <Popover>
            <PopoverTrigger className="h-5 rounded-sm px-1.5 text-left text-xs text-quiet hover:bg-hover">
              {rest} more
            </PopoverTrigger>
            <PopoverContent aria-label={formatDayExactly(day)} className="grid w-72 gap-0.5 p-2">
              <p className="px-1 pb-1 text-xs font-medium text-quiet">{formatDayExactly(day)}</p>
              {records.map((record) => (
                <EventFace key={record.id} record={record} field={field} />
              ))}
            </PopoverContent>
          </Popover>
        )}
      </div>
    </section>
  )
}
