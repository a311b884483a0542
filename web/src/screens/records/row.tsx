import { memo, useDeferredValue } from 'react'
import { nameOf } from '../../api/records.ts'
import { classNames } from '../../components/class-names.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { Cell } from './cell.tsx'
import type { Column } from './columns.ts'
import { useGrid } from './grid-state.ts'
import type { Row as FoundRow } from './record-window.ts'

export const ROW_HEIGHT = 36
export const CHECK_WIDTH = 40

type Props = {
  row: number
  top: number
  found: FoundRow | undefined
  columns: readonly Column[]
  selected: boolean
  /** The current column, where this is the current row. */
  activeColumn: number | undefined
  editing: boolean
}

/** One record on one line; an outline of it until it has come. */
export const Row = memo(function Row({ row, top, found: known, columns, selected, ...rest }: Props) {
  const { activeColumn, editing } = rest
  const grid = useGrid()
  // A page fills all outlines at once. React draws what is deferred in small steps, so that no task is long.
  // The current row comes at once, because its cell takes the focus.
  const arrived = useDeferredValue(known) !== undefined || activeColumn !== undefined
  const found = arrived ? known : undefined
  const surface = selected ? 'bg-selected' : 'bg-paper group-hover:bg-hover'
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-selected={selected}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
      className={classNames('group absolute inset-x-0 flex text-sm has-[[data-note]]:z-15', editing && 'z-15')}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        style={{ width: CHECK_WIDTH }}
        className={classNames('sticky left-0 z-5 grid shrink-0 place-items-center border-b border-line', surface)}
      >
        {found && (
          <input
            type="checkbox"
            aria-label={`Select ${nameOf(found.record)}`}
            checked={selected}
            tabIndex={-1}
            onChange={(event) => grid.select(row, found.record, { on: !selected, range: isShifted(event.nativeEvent) })}
            className={classNames(
              'tick',
              !selected && 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100',
            )}
          />
        )}
      </div>
      {found &&
        columns.map(({ property, width }, column) => (
          <div
            key={property.key}
            role="presentation"
            style={{ width, ...(column === 0 ? { left: CHECK_WIDTH } : {}) }}
            className={classNames('shrink-0 border-r border-b border-line', surface, column === 0 && 'sticky z-5')}
          >
            <Cell
              property={property}
              record={found.record}
              included={found.included}
              row={row}
              column={column}
              active={activeColumn === column}
              editing={editing && activeColumn === column}
            />
          </div>
        ))}
      {!found && <Outline columns={columns} surface={surface} />}
      <div role="presentation" className={classNames('flex-1 border-b border-line', surface)} />
    </div>
  )
})

/** Few elements: a jump in a long list draws a whole screen of them at once. */
function Outline({ columns, surface }: { columns: readonly Column[]; surface: string }) {
  return (
    <div
      role="gridcell"
      aria-colindex={2}
      aria-colspan={columns.length}
      className={classNames('sticky flex shrink-0 items-center border-b border-line px-2', surface)}
      style={{ left: CHECK_WIDTH, width: columns[0]?.width }}
    >
      <Skeleton className="w-32" />
    </div>
  )
}

/** A tick with Shift held ticks all rows from the last one on. */
function isShifted(event: Event): boolean {
  return event instanceof MouseEvent && event.shiftKey
}
