import { useDroppable } from '@dnd-kit/core'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import type { Field } from '../../api/fields.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { formatDayExactly } from '../../format/moments.ts'
import { counted } from '../../resources.ts'
import { Event, EventFace } from './event.tsx'
import { NewOnDay } from './new-on-day.tsx'

type Props = {
  resource: ResourceName
  field: Field
  day: string
  isToday: boolean
  isFaint: boolean
  records: readonly ApiRecord[]
  /** More than so many are behind a button. */
  most: number
  movable: boolean
}

/** One day of a calendar. */
export function DayCell({ resource, field, day, isToday, isFaint, records, most, movable }: Props) {
  const { setNodeRef, isOver } = useDroppable({ id: day })
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const shown = records.length > most ? records.slice(0, most - 1) : records
  const rest = records.length - shown.length
  return (
    <section
      ref={setNodeRef}
      aria-label={`${formatDayExactly(day)}, ${counted(records.length, resource)}`}
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
