import { lengthOf } from '@kith/contract/fold'

/** Lines in which the columns stand below each other. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A table for people: the names of the columns, then a line for each thing. */
export function printTable(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : oneLine(cell))))
  return alignColumns([columns.map((column) => column.toUpperCase()), ...cells]).join('\n')
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - lengthOf(cell))
}

/** Names come from people: a control character in one must not move the cursor of another's terminal. */
function oneLine(cell: string): string {
  return cell.replaceAll(/\p{Cc}+/gu, ' ')
}
