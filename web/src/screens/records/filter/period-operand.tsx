import { Input } from '../../../components/input.tsx'
import { Select } from '../../../components/select.tsx'
import { textIn } from '../../../fields/values.ts'
import { formatDays } from '../../../format/moments.ts'
import { dayAt } from '../relative/days.ts'
import { countedDays, daysOf, OVERDUE, offeredPeriods, PERIOD_DAYS_MAX, periodLabel } from '../relative/periods.ts'
import { useReader } from '../relative/use-reader.ts'

type Props = {
  name: string
  value: unknown
  /** Whether something can be late here: when a record was created cannot. */
  canBeOverdue: boolean
  onChange(value: unknown): void
}

/** A period that moves with the calendar, and the days that it means now. */
export function PeriodOperand({ name, value, canBeOverdue, onChange }: Props) {
  const reader = useReader(undefined)
  const period = textIn(value)
  const counted = countedDays(period)
  const range = daysOf(period, { ...reader, today: dayAt(reader.now, reader.timeZone) })
  const offered = canBeOverdue || period === OVERDUE ? [OVERDUE, ...offeredPeriods] : offeredPeriods
  const choices = period === '' || offered.includes(period) ? offered : [period, ...offered]
  return (
    <div>
      <div className="flex gap-1">
        <Select
          label={`Period for ${name}`}
          value={period}
          placeholder="Choose"
          onValueChange={onChange}
          choices={choices.map((choice) => ({ value: choice, label: periodLabel(choice) }))}
        />
        {counted && (
          <div className="w-18 shrink-0">
            <Input
              type="number"
              aria-label={`Days for ${name}`}
              min={1}
              max={PERIOD_DAYS_MAX}
              value={counted.days}
              onChange={(event) => {
                const next = `${counted.direction}_${event.target.value}_days`
                if (countedDays(next)) onChange(next)
              }}
            />
          </div>
        )}
      </div>
      {range && <p className="mt-1 text-xs text-faint">{formatDays(range.first, range.last)}</p>}
    </div>
  )
}
