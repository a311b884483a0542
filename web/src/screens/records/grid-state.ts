import { createContext, useContext } from 'react'
import type { ApiRecord } from '../../api/records.ts'

/** What can be done in a cell. One object for all cells, so that a row renders again only when it changes. */
export type GridActions = {
  /** Whether this member may change records at all. */
  mayEdit: boolean
  /** Makes a cell the current one, and opens its editor where asked. */
  enter(row: number, column: number, edit: boolean): void
  /** Closes the editor of the current cell. */
  close(): void
  select(row: number, record: ApiRecord, how: { on: boolean; range: boolean }): void
}

export const GridContext = createContext<GridActions | undefined>(undefined)

export function useGrid(): GridActions {
  const actions = useContext(GridContext)
  if (!actions) throw new Error('A cell is outside of a grid.')
  return actions
}
