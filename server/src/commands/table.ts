import { lengthOf } from '@kith/contract/fold'

/** One line per row, with aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

/** A table with a header line. */
export function printTable(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : oneLine(cell))))
  return alignColumns([columns.map((column) => column.toUpperCase()), ...cells]).join('\n')
}

/** Removes control characters from names, because they could control the terminal. */
function oneLine(cell: string): string {
  return cell.replaceAll(/\p{Cc}+/gu, ' ')
}
