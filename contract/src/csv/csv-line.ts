/** A line of a CSV file as in RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /["\r\n,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
