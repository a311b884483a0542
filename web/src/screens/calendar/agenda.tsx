import { roleMay } from '@kith/contract/permissions'
import { useWorkspace } from '../../api/workspace.ts'
import { formatDayExactly, formatDayNear, formatWeekday } from '../../format/moments.ts'
import type { CalendarProps } from './calendar-props.ts'
import { EventFace } from './event.tsx'
import { NewOnDay } from './new-on-day.tsx'

/** The days that have records, and today, one below the other. */
export function Agenda({ resource, field, days, today, month, byDay }: CalendarProps) {
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const shown = days.filter(
    (day) => (month === undefined || day.startsWith(month)) && (byDay.has(day) || day === today),
  )
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-3 py-2">
      {shown.length === 0 && <p className="py-6 text-sm text-faint">Nothing on these days.</p>}
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
            {!byDay.has(day) && <p className="text-xs text-faint">Nothing today.</p>}
          </div>
        </section>
      ))}
    </div>
  )
}
