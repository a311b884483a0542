import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, ChevronDown, EyeOff } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { classNames } from '../../components/class-names.ts'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { iconOf, isAlignedEnd, sortNameOf } from '../../properties/property-view.ts'
import { COLUMN_MAX, COLUMN_MIN, type Column } from './columns.ts'
import { useListState } from './list-state.ts'
import { nextSort, sortBy, sortedBy } from './sorting.ts'

/**
 * The name of a column. A click sorts by it, with Shift also by it; its menu moves and hides it, its edge resizes it.
 */
export function HeaderCell(props: {
  column: Column
  place: number
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
}) {
  const { column, place, columns, onColumns } = props
  const { property, width } = column
  const [{ sort }, change] = useListState()
  const sortName = sortNameOf(property)
  const key = sortName === undefined ? undefined : sortedBy(sort, sortName)
  const Icon = iconOf(property)
  const Arrow = key?.descending ? ArrowDown : ArrowUp
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-sort={key ? (key.descending ? 'descending' : 'ascending') : 'none'}
      className="group/head relative flex h-full items-center border-r border-b border-line"
    >
      <button
        type="button"
        disabled={sortName === undefined}
        onClick={(event) => sortName && change({ sort: nextSort(sort, sortName, event.shiftKey) })}
        className={classNames(
          'flex h-full min-w-0 flex-1 items-center gap-1.5 px-2 text-xs font-medium text-quiet enabled:hover:text-ink',
          isAlignedEnd(property) && 'justify-end',
        )}
      >
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="truncate">{property.label}</span>
        {key && <Arrow aria-hidden className="size-3.5 shrink-0 text-accent" />}
        {key && key.of > 1 && (
          <span aria-hidden className="-ml-1 text-accent tabular-nums">
            {key.place}
          </span>
        )}
      </button>
      <Menu>
        <MenuTrigger
          aria-label={`Options of column ${property.label}`}
          className="mr-1 grid size-5 shrink-0 place-items-center rounded-sm text-faint opacity-0 group-hover/head:opacity-100 hover:bg-hover focus-visible:opacity-100 data-[state=open]:opacity-100"
        >
          <ChevronDown aria-hidden className="size-3.5" />
        </MenuTrigger>
        <MenuContent align="end">
          {sortName && (
            <>
              <MenuItem icon={<ArrowUp />} onSelect={() => change({ sort: sortBy(sortName, false) })}>
                Sort ascending
              </MenuItem>
              <MenuItem icon={<ArrowDown />} onSelect={() => change({ sort: sortBy(sortName, true) })}>
                Sort descending
              </MenuItem>
              <MenuLine />
            </>
          )}
          <MenuItem icon={<ArrowLeft />} disabled={place === 0} onSelect={() => onColumns(moved(columns, place, -1))}>
            Move left
          </MenuItem>
          <MenuItem
            icon={<ArrowRight />}
            disabled={place === columns.length - 1}
            onSelect={() => onColumns(moved(columns, place, 1))}
          >
            Move right
          </MenuItem>
          {property.kind !== 'name' && (
            <MenuItem icon={<EyeOff />} onSelect={() => onColumns(columns.toSpliced(place, 1))}>
              Hide column
            </MenuItem>
          )}
        </MenuContent>
      </Menu>
      <ColumnEdge
        label={property.label}
        width={width}
        onWidth={(next) => onColumns(columns.with(place, { ...column, width: next }))}
      />
    </div>
  )
}

function moved(columns: readonly Column[], place: number, by: 1 | -1): Column[] {
  const column = columns[place]
  return column ? columns.toSpliced(place, 1).toSpliced(place + by, 0, column) : [...columns]
}

const STEP = 16

/** The edge by which a column is made wider or narrower: dragged, or with the arrow keys. */
function ColumnEdge({ label, width, onWidth }: { label: string; width: number; onWidth(width: number): void }) {
  const start = useRef<{ x: number; width: number } | undefined>(undefined)
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width }
  }
  const onPointerMove = (event: PointerEvent) => {
    if (start.current) onWidth(start.current.width + event.clientX - start.current.x)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -STEP : event.key === 'ArrowRight' ? STEP : 0
    if (step === 0) return
    event.preventDefault()
    event.stopPropagation()
    onWidth(width + step)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of column ${label}`}
      aria-valuenow={Math.round(width)}
      aria-valuemin={COLUMN_MIN}
      aria-valuemax={COLUMN_MAX}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1/2 after:w-0.5 after:-translate-x-1/2 hover:after:bg-accent focus-visible:outline-none focus-visible:after:bg-accent"
    />
  )
}
