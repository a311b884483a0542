import type { ResourceName } from '@kith/contract/resource'
import { CalendarDays, type LucideIcon, SlidersHorizontal, SquareKanban, Table2 } from 'lucide-react'
import { Suspense } from 'react'
import type { Field } from '../../api/fields.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Select } from '../../components/select.tsx'
import { Skeleton } from '../../components/states.tsx'
import { useDateField, useDateFields } from '../calendar/calendar-field.ts'
import { useListState } from '../records/list-state.ts'
import { useBoardChoice, useBoardField, useBoardFields, useCardColumns } from './board-choice.ts'

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

function DatesBy({ resource, field }: { resource: ResourceName; field: Field }) {
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

const ShownOptions = chunk(async () => (await import('./shown-options.tsx')).ShownOptions)
const ColumnsList = chunk(async () => (await import('../records/columns-list.tsx')).ColumnsList)

/** The field of the columns of a board, and the properties on its cards. */
export function BoardOptions({ resource }: { resource: ResourceName }) {
  const [cards, chooseCards] = useCardColumns(resource)
  const field = useBoardField(resource)
  const [{ folded }, choose] = useBoardChoice(resource)
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet">
          <SlidersHorizontal aria-hidden />
          <span className="max-md:sr-only">Display</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Display" className="w-72 p-1.5">
        <ColumnsBy resource={resource} />
        {field && (
          <Suspense>
            <ShownOptions field={field} folded={folded} onFolded={(next) => choose({ folded: next })} />
          </Suspense>
        )}
        <p className="px-2 pt-2 pb-1 text-xs text-faint">On the cards</p>
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <ColumnsList resource={resource} columns={cards} onColumns={chooseCards} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}

function ColumnsBy({ resource }: { resource: ResourceName }) {
  const [, change] = useListState()
  const fields = useBoardFields(resource)
  const field = useBoardField(resource)
  if (!field || fields.length < 2) return null
  return (
    <div className="flex items-center gap-2 p-1.5 text-sm">
      <span className="w-20 shrink-0 text-xs text-quiet">Columns by</span>
      <Select
        label="Columns by"
        value={field.code}
        // Other columns have other options.
        onValueChange={(group_by) => change({ group_by, folded: undefined })}
        choices={fields.map(({ code, name }) => ({ value: code, label: name }))}
      />
    </div>
  )
}
