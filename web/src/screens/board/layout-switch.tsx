import type { ResourceName } from '@kith/contract/resource'
import { CalendarDays, type LucideIcon, SquareKanban, Table2 } from 'lucide-react'
import type { Field } from '../../api/fields.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { Select } from '../../components/select.tsx'
import { useDateField, useDateFields } from '../calendar/calendar-field.ts'
import { useListState } from '../records/list-state.ts'
import { useBoardField } from './board-field.ts'

const icons: Readonly<Record<'table' | 'board' | 'calendar', LucideIcon>> = {
  table: Table2,
  board: SquareKanban,
  calendar: CalendarDays,
}

const labels = { table: 'Table', board: 'Board', calendar: 'Calendar' } as const

/** Table, board or calendar, and which field makes the days. Nothing where only a table is possible. */
export function LayoutSwitch({ resource }: { resource: ResourceName }) {
  const [state, change] = useListState()
  const board = useBoardField(resource)
  const date = useDateField(resource)
  const layouts = [
    ...(['table'] as const),
    ...(board ? (['board'] as const) : []),
    ...(date ? (['calendar'] as const) : []),
  ]
  const shown = layouts.find((layout) => layout === state.layout) ?? 'table'
  if (layouts.length === 1) return null
  return (
    <div className="flex items-center gap-0.5">
      {shown === 'calendar' && date && <DatesBy resource={resource} field={date} />}
      {layouts.map((layout) => {
        const Icon = icons[layout]
        return (
          <IconButton
            key={layout}
            label={labels[layout]}
            aria-pressed={shown === layout}
            active={shown === layout}
            // Where room is short, the one that is shown needs no button.
            className={shown === layout ? 'max-sm:hidden' : undefined}
            onClick={() => change({ layout: layout === 'table' ? undefined : layout })}
          >
            <Icon />
          </IconButton>
        )
      })}
    </div>
  )
}

type ByProps = { resource: ResourceName; field: Field }

function DatesBy({ resource, field }: ByProps) {
  const [, change] = useListState()
  const choices = choicesOf(useDateFields(resource))
  if (choices.length < 2) return null
  return (
    <Select
      label="Days by"
      value={field.code}
      onValueChange={(date_by) => change({ date_by })}
      choices={choices}
      className="max-sm:hidden"
    />
  )
}

function choicesOf(fields: readonly Field[]) {
  return fields.map(({ code, name }) => ({ value: code, label: name }))
}
