import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import type { Field } from '../../api/fields.ts'
import { shownFailure } from '../../api/problems.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { firstDay } from '../../format/dates.ts'
import { toLocalDay } from '../../format/moments.ts'
import { formatNumber } from '../../format/numbers.ts'
import { useDraftsOf, withDraft } from '../../properties/property-draft.ts'
import { useBoardQuery } from '../board/board-query.ts'
import { joined } from '../records/list-query.ts'
import { useListState } from '../records/list-state.ts'
import { useIsNarrow } from '../records/narrow.ts'
import { Agenda } from './agenda.tsx'
import { CalendarHead } from './calendar-head.tsx'
import { calendarQuery, SHOWN_MAX } from './calendar-query.ts'
import { addDays, daysShown, isDay } from './days.ts'
import { MonthGrid } from './month-grid.tsx'
import { betweenDays, dayOf } from './on-day.ts'

type Props = { resource: ResourceName; field: Field }

/** The records of a list by the days of a date field: a month, a week, or an agenda where room is short. */
export function Calendar({ resource, field }: Props) {
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
  const shown = { resource, field, days, today, month: span === 'month' ? day.slice(0, 7) : undefined }
  const drafts = useDraftsOf(resource, field)
  const records = (data?.data ?? []).map((record) => withDraft(record, drafts.get(record.id)))
  const byDay = placed(records, field)
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
      {!failure && (narrow ? <Agenda {...shown} byDay={byDay} /> : <MonthGrid {...shown} byDay={byDay} />)}
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
