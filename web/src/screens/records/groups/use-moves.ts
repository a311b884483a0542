import { roleMay } from '@kith/contract/permissions'
import { createContext, useContext, useMemo, useRef } from 'react'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { putChange } from '../../../drafts/property-draft.ts'
import type { RecordRow, RecordWindow } from '../record-window.ts'
import type { Group, Grouping } from './grouping.ts'
import { hasOneValue, isMovable, moveTo } from './move-to-group.ts'

/** How rows get into other groups. One object for all rows, so that they do not render again. */
type Moves = {
  /** Whether the rows of the list can be moved. */
  mayMove: boolean
  /** A row is being dragged, or no more. */
  drag(row: RecordRow | undefined): void
  mayDropOn(group: Group): boolean
  dropOn(group: Group): void
  /** Moves a row to the next group, or to the one before. */
  moveBy(row: number, step: 1 | -1): void
}

const MovesContext = createContext<Moves | undefined>(undefined)
export const MovesProvider = MovesContext.Provider

/** Of the list around a row. Undefined where rows cannot be moved. */
export function useMovesHere(): Moves | undefined {
  const moves = useContext(MovesContext)
  return moves?.mayMove ? moves : undefined
}

export function useMoves(window: RecordWindow, grouping: Grouping | undefined): Moves {
  const slug = useSlug()
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const property = grouping?.property
  const mayMove = mayEdit && property !== undefined && isMovable(property)
  const dragged = useRef<RecordRow>(undefined)
  const moveRow = (row: RecordRow | undefined, group: Group | undefined) => {
    const move = row && group && mayMove ? moveTo(row, property, group) : undefined
    if (row && move) putChange({ slug, ...move, record: row.record, direct: true }, move.change, 'waiting')
  }
  const now = {
    drag(row: RecordRow | undefined) {
      dragged.current = row
    },
    mayDropOn: (group: Group) => dragged.current !== undefined && hasOneValue(group),
    dropOn: (group: Group) => moveRow(dragged.current, group),
    moveBy: (row: number, step: 1 | -1) => moveRow(window.rowAt(row), window.groups[window.groupPlaceOf(row) + step]),
  }
  const latest = useRef(now)
  latest.current = now
  return useMemo(
    () => ({
      mayMove,
      drag: (row) => latest.current.drag(row),
      mayDropOn: (group) => latest.current.mayDropOn(group),
      dropOn: (group) => latest.current.dropOn(group),
      moveBy: (row, step) => latest.current.moveBy(row, step),
    }),
    [mayMove],
  )
}
