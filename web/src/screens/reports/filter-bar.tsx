import { dayAt } from '@kith/contract/relative/periods'
import { useNavigate } from '@tanstack/react-router'
import { CalendarDays, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useMembers } from '../../api/members.ts'
import { Input } from '../../components/controls.tsx'
import { Select } from '../../components/select.tsx'
import { localTimeZone } from '../../format/time-zone.ts'
import { rangeIn, reportPeriods } from './periods.ts'
import type { ReportFilter } from './report-filter.ts'

const ALL = 'all'
const RANGE = 'range'

/** The period and the person of all charts. They are in the address. */
export function FilterBar({ filter }: { filter: ReportFilter }) {
  const navigate = useNavigate()
  const members = useMembers()
  const { period, person } = filter
  const range = rangeIn(period)
  const [isRange, setIsRange] = useState(range !== undefined)
  const change = (changes: { period?: string | undefined; person?: string | undefined }) => {
    void navigate({ to: '.', search: (before) => ({ ...before, ...changes }), replace: true })
  }
  const choosePeriod = (value: string) => {
    setIsRange(value === RANGE)
    if (value !== RANGE) return change({ period: value === ALL ? undefined : value })
    const today = dayAt(new Date(), localTimeZone())
    change({ period: `${today.slice(0, 4)}-01-01..${today}` })
  }
  const changeRange = (first: string, last: string) => {
    if (first !== '' && last !== '') change({ period: first <= last ? `${first}..${last}` : `${last}..${first}` })
  }
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2 md:px-4">
      <div className="flex w-52 items-center gap-2">
        <CalendarDays aria-hidden className="size-4 shrink-0 text-faint" />
        <Select
          label="Period"
          value={isRange ? RANGE : (period ?? ALL)}
          onValueChange={choosePeriod}
          choices={[
            { value: ALL, label: 'All time' },
            ...known(period),
            ...reportPeriods,
            { value: RANGE, label: 'From … to …' },
          ]}
        />
      </div>
      {isRange && range && (
        <div className="flex items-center gap-1">
          <Input
            type="date"
            aria-label="From"
            value={range.first}
            onChange={({ target }) => changeRange(target.value, range.last)}
          />
          <span aria-hidden>–</span>
          <Input
            type="date"
            aria-label="To"
            value={range.last}
            onChange={({ target }) => changeRange(range.first, target.value)}
          />
        </div>
      )}
      <div className="flex w-52 items-center gap-2">
        <UserRound aria-hidden className="size-4 shrink-0 text-faint" />
        <Select
          label="Person"
          value={person ?? ALL}
          onValueChange={(value) => change({ person: value === ALL ? undefined : value })}
          choices={[
            { value: ALL, label: 'Everybody' },
            { value: 'me', label: 'Me' },
            ...members.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </div>
    </search>
  )
}

/** A period that a link names and that is not offered. */
function known(period: string | undefined): { value: string; label: string }[] {
  if (period === undefined || rangeIn(period) || reportPeriods.some(({ value }) => value === period)) return []
  return [{ value: period, label: period.replaceAll('_', ' ') }]
}
