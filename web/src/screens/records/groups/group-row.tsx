import type { ResourceName } from '@kith/contract/resource'
import { type DragEvent, memo, useState } from 'react'
import { classNames } from '../../../components/class-names.ts'
import { isAlignedEnd } from '../../../properties/property-view.ts'
import type { Column } from '../columns.ts'
import { Measured } from '../footers/footer-row.tsx'
import { measuresIn, measuresOf } from '../footers/measures.ts'
import { useGrid } from '../grid-state.ts'
import { joined, type ListQuery } from '../list-query.ts'
import { useListState } from '../list-state.ts'
import { CHECK_WIDTH, ROW_HEIGHT } from '../row.tsx'
import { REST } from './folding.ts'
import { GroupName } from './group-name.tsx'
import type { Group, Grouping } from './grouping.ts'
import { useMovesHere } from './use-moves.ts'

/** The head of a group: its name, how many records it has, and the measures of the columns. */
export const GroupRow = memo(function GroupRow(props: {
  resource: ResourceName
  query: ListQuery
  grouping: Grouping
  group: Group & { open: boolean }
  columns: readonly Column[]
  row: number
  top: number
  /** The current column, where this is the current row. */
  activeColumn: number | undefined
  onToggle(key: string | null): void
}) {
  const { resource, query, grouping, group, columns, row, top, activeColumn, onToggle } = props
  const [{ footers }] = useListState()
  const measures = measuresIn(footers)
  const ofGroup = { ...query, filter: joined(query.filter, group.filter) ?? {} }
  const grid = useGrid()
  const moves = useMovesHere()
  const [isOver, setOver] = useState(false)
  const onDragOver = (event: DragEvent) => {
    if (!moves?.mayDropOn(group)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'move'
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    moves?.dropOn(group)
  }
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={row + 2}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
      className={classNames(
        'absolute inset-x-0 flex text-sm',
        isOver && 'z-15 outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        style={{ width: CHECK_WIDTH }}
        className="sticky left-0 z-5 shrink-0 border-b border-line bg-sunk"
      />
      {columns.map(({ property, width }, column) => {
        const measure = measuresOf(property).find((one) => one === measures.get(property.key))
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid listens for keys on behalf of its cells
          <div
            key={property.key}
            role="gridcell"
            aria-colindex={column + 2}
            aria-expanded={column === 0 ? group.open : undefined}
            data-row={row}
            data-column={column}
            tabIndex={activeColumn === column ? 0 : -1}
            onClick={() => {
              grid.enter(row, column, false)
              onToggle(group.key)
            }}
            style={{ width, ...(column === 0 ? { left: CHECK_WIDTH } : {}) }}
            className={classNames(
              'flex min-w-0 shrink-0 cursor-pointer items-center border-b border-line bg-sunk px-2 -outline-offset-2 outline-accent focus-visible:outline-2',
              column === 0 && 'sticky z-5',
              isAlignedEnd(property) && 'justify-end',
            )}
          >
            {column === 0 ? (
              <GroupName grouping={grouping} group={group} />
            ) : (
              measure && (
                <Measured
                  resource={resource}
                  query={group.key === REST ? ofGroup : query}
                  property={property}
                  measure={measure}
                  group={group.key === REST ? 'all' : { by: grouping.by, key: group.key }}
                />
              )
            )}
          </div>
        )
      })}
      <div role="presentation" className="flex-1 border-b border-line bg-sunk" />
    </div>
  )
})
