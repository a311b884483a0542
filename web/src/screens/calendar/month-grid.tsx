import {
  type Announcements,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { roleMay } from '@kith/contract/permissions'
import { useState } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { formatDayExactly, formatWeekday } from '../../format/moments.ts'
import type { CalendarProps } from './calendar-props.ts'
import { DayCell } from './day-cell.tsx'
import { EventFace } from './event.tsx'
import { toNextDay } from './keyboard-days.ts'
import { useMoveDay } from './move-day.ts'
import { dayOf } from './on-day.ts'

/** Weeks as rows. Records are dragged to another day by mouse, touch or keyboard. */
export function MonthGrid({ resource, field, days, today, month, byDay }: CalendarProps) {
  const [held, setHeld] = useState<ApiRecord>()
  const movable = roleMay(useWorkspace().role, 'update')
  const move = useMoveDay(field)
  const sensors = useSensors(
    // A click opens the record; only a pull of some pixels takes it.
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextDay }),
  )
  const drop = ({ active, over }: DragEndEvent) => {
    setHeld(undefined)
    const record = recordIn(active)
    if (record && over && dayOf(record, field) !== over.id) move(record, String(over.id))
  }
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(7 * week, 7 * week + 7))
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ announcements, screenReaderInstructions: { draggable: instructions } }}
      onDragStart={({ active }) => setHeld(recordIn(active))}
      onDragEnd={drop}
      onDragCancel={() => setHeld(undefined)}
    >
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

const announcements: Announcements = {
  onDragStart: ({ active }) => `Picked up ${nameIn(active)}.`,
  onDragOver: ({ active, over }) => `${nameIn(active)} is over ${over ? formatDayExactly(String(over.id)) : 'no day'}.`,
  onDragEnd: ({ active, over }) =>
    over ? `${nameIn(active)} was put on ${formatDayExactly(String(over.id))}.` : `${nameIn(active)} stays.`,
  onDragCancel: ({ active }) => `${nameIn(active)} stays where it was.`,
}

type Dragged = { data: { current?: unknown } }

function nameIn(dragged: Dragged): string {
  return nameOf(recordIn(dragged) ?? { attributes: {} })
}

/** Each event carries its record. */
function recordIn({ data: { current } }: Dragged): ApiRecord | undefined {
  return typeof current === 'object' && current !== null && 'record' in current
    ? (current.record as ApiRecord)
    : undefined
}
