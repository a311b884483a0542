import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { formatDays, formatMonth } from '../../format/moments.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useListState } from '../records/list-state.ts'
import { type Span, stepped } from './days.ts'

type Props = { span: Span; day: string; days: readonly string[]; today: string }

const spans: readonly { span: Span; label: string }[] = [
  { span: 'month', label: 'Month' },
  { span: 'week', label: 'Week' },
]

/** Which month or week is shown, and the way to others. */
export function CalendarHead({ span, day, days, today }: Props) {
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
