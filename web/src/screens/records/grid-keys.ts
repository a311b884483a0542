import type { KeyboardEvent } from 'react'
import type { Place } from './grid.ts'

type GridSize = { rows: number; columns: number; pageRows: number }

/** Where a key leads in the table; undefined for keys that move nothing. */
export function placeAfter(event: KeyboardEvent, { row, column }: Place, size: GridSize): Place | undefined {
  const mod = event.metaKey || event.ctrlKey
  const to = (nextRow: number, nextColumn: number): Place => ({
    row: Math.min(size.rows - 1, Math.max(0, nextRow)),
    column: Math.min(size.columns - 1, Math.max(0, nextColumn)),
  })
  switch (event.key) {
    case 'ArrowUp':
      return to(mod ? 0 : row - 1, column)
    case 'ArrowDown':
      return to(mod ? size.rows - 1 : row + 1, column)
    case 'ArrowLeft':
      return to(row, column - 1)
    case 'ArrowRight':
      return to(row, column + 1)
    case 'Home':
      return to(mod ? 0 : row, 0)
    case 'End':
      return to(mod ? size.rows - 1 : row, size.columns - 1)
    case 'PageUp':
      return to(row - size.pageRows, column)
    case 'PageDown':
      return to(row + size.pageRows, column)
    default:
      return undefined
  }
}
