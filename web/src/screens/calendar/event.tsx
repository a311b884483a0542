import { useDraggable } from '@dnd-kit/core'
import type { ResourceName } from '@kith/contract/resource'
import { useLocation } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Input } from '../../components/controls.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { useDraftAt } from '../../drafts/drafts.ts'
import { useNamedDraft } from '../../drafts/new-record.ts'
import { placeOf } from '../../drafts/property-draft.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import {
  dayIn,
  formatDayExactly,
  formatDayNear,
  formatTime,
  fromLocalInput,
  toLocalInput,
} from '../../format/moments.ts'
import { propertyOf } from '../../properties/property.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import { RepeatSign } from '../../properties/repeat-sign.tsx'
import { DUE_DATE, useTaskState } from '../../properties/task-state.ts'
import { useAppearance } from '../../resources.ts'

type Props = {
  record: ApiRecord
  field: Field
  /** Outside of the days, where the day says more than the time. */
  withDay?: boolean
}

/** A record on a day. Its name leads to its page; the rest of it can be taken. */
export function Event({ record, field, withDay, movable }: Props & { movable: boolean }) {
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({
    id: record.id,
    data: { record },
    disabled: !movable,
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here, and a button may not hold a link
    <div
      ref={setNodeRef}
      {...attributes}
      {...listeners}
      role="group"
      aria-label={`Move ${nameOf(record)}`}
      className={classNames('rounded-sm', movable && 'cursor-grab touch-manipulation', isDragging && 'opacity-40')}
    >
      <EventFace record={record} field={field} withDay={withDay ?? false} />
    </div>
  )
}

export function EventFace({ record, field, withDay = false }: Props) {
  const { done, overdue } = useTaskState(record)
  const isTask = record.type === 'tasks'
  const isDraft = useDraftAt(placeOf(useSlug(), propertyOf(field), record)) !== undefined
  const value = textIn(record.attributes.custom_fields[field.code])
  return (
    <div
      aria-busy={isDraft}
      className={classNames(
        isDraft && 'opacity-60',
        'flex h-6 min-w-0 items-center gap-1.5 rounded-sm border border-line bg-paper px-1.5 text-xs hover:border-edge',
        isTask && overdue && field.code === DUE_DATE && 'text-danger',
      )}
    >
      {isTask && <TaskCheck task={record} />}
      <RecordLink
        resource={record.type}
        id={record.id}
        title={nameOf(record)}
        tabIndex={0}
        className={classNames('min-w-6 truncate hover:underline', isTask && done && 'text-quiet line-through')}
      >
        {nameOf(record)}
      </RecordLink>
      {isTask && overdue && field.code === DUE_DATE && <span className="sr-only">Overdue</span>}
      {isTask && <RepeatSign task={record} />}
      {withDay && value !== '' && <span className="ml-auto shrink-0 text-quiet">{formatDayNear(dayIn(value))}</span>}
      {!withDay && value.length > 10 && (
        <span className="ml-auto shrink-0 text-quiet sm:max-xl:hidden">{formatTime(value)}</span>
      )}
    </div>
  )
}

/** What comes before or after the days of a week. Its day is what keys step to from the days. */
export type WeekEdge = { label: string; day: string; records: readonly ApiRecord[]; more: number }

/** The props of the views of a calendar. */
export type CalendarProps = {
  resource: ResourceName
  field: Field
  days: readonly string[]
  today: string
  /** The month whose days are not faint. */
  month: string | undefined
  byDay: ReadonlyMap<string, readonly ApiRecord[]>
  /** What is before and after a week of tasks. */
  edges: { overdue: WeekEdge; later: WeekEdge } | undefined
}

/** The time at which something new is placed on a day. */
const MORNING = '09:00'

/** The reader's day on which a record is; undefined without a date. */
export function dayOf(record: ApiRecord, { code }: Field): string | undefined {
  const value = textIn(record.attributes.custom_fields[code])
  return value === '' ? undefined : dayIn(value)
}

/** The value of a field on another day: a moment keeps its time. */
export function valueOn(day: string, { type }: Field, before = ''): string {
  if (type === 'date') return day
  const time = before === '' ? MORNING : toLocalInput(before).slice(11)
  return fromLocalInput(`${day}T${time}`)
}

/** A filter for the records from the first day of the reader until before another one. */
export function betweenDays({ code, type }: Field, first: string, after: string): Record<string, unknown> {
  const [start, end] = type === 'date' ? [first, after] : [midnight(first), midnight(after)]
  return { custom_fields: { [code]: { $gte: start, $lt: end } } }
}

/** A filter for the records before a day of the reader, or from it on. */
export function besideDay({ code, type }: Field, operator: '$lt' | '$gte', day: string): Record<string, unknown> {
  return { custom_fields: { [code]: { [operator]: type === 'date' ? day : midnight(day) } } }
}

function midnight(day: string): string {
  return fromLocalInput(`${day}T00:00`)
}

/** Makes a record on a day: a name and Enter. */
export function NewOnDay({ resource, field, day }: { resource: ResourceName; field: Field; day: string }) {
  // A name that was left unfinished is open from the beginning.
  const [open, setOpen] = useState<boolean>()
  const { one } = useAppearance(resource)
  const label = `New ${one} on ${formatDayExactly(day)}`
  const { typed, isWaiting, problem, type, create } = useNamedDraft({
    resource,
    at: `day ${field.code} ${day}`,
    label,
    page: useLocation({ select: ({ href }) => href }),
    values: { custom_fields: { [field.code]: valueOn(day, field) } },
    shown: open !== false,
    onCreated: () => setOpen(false),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create()
  }
  return (
    <Popover open={open ?? typed !== ''} onOpenChange={setOpen}>
      <PopoverTrigger
        aria-label={label}
        className="grid size-5 place-items-center rounded-sm text-faint opacity-0 group-hover:opacity-100 hover:bg-hover focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      >
        <Plus aria-hidden className="size-3.5" />
      </PopoverTrigger>
      <PopoverContent aria-label={label} className="w-72 p-2">
        <form onSubmit={submit} className="flex gap-2">
          <Input
            dir="auto"
            aria-label={`New ${one}`}
            placeholder={`New ${one}`}
            value={typed}
            readOnly={isWaiting}
            onChange={(event) => type(event.target.value)}
          />
          <Button type="submit" look="primary" disabled={isWaiting}>
            Add
          </Button>
        </form>
        {problem !== undefined && (
          <p role="alert" className="mt-1 text-xs text-danger">
            Not saved: {problem}
          </p>
        )}
      </PopoverContent>
    </Popover>
  )
}
