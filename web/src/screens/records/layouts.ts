import { chunk } from '../../components/chunk.tsx'
import { isNarrow } from './narrow.ts'

// A board does not need the table, and a table does not need the library for dragging.
export const RecordTable = chunk(async () => (await import('./record-table.tsx')).RecordTable)
export const RecordLines = chunk(async () => (await import('./record-lines.tsx')).RecordLines)
export const Board = chunk(async () => (await import('../board/board.tsx')).Board)
export const Calendar = chunk(async () => (await import('../calendar/calendar.tsx')).Calendar)

/** Fetches what the address of this page asks for. */
export function preloadLayout(): Promise<unknown> {
  const { search } = window.location
  if (search.includes('layout=board')) return Board.preload()
  if (search.includes('layout=calendar')) return Calendar.preload()
  return isNarrow() ? RecordLines.preload() : RecordTable.preload()
}
