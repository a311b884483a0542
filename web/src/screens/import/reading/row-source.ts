/** A cell of CSV is a text. A spreadsheet also has numbers, dates and truth values. */
export type SourceCell = string | number | boolean | Date | null

export type RowSource = {
  /** The names of the sheets that can be seen; none for CSV. */
  sheets: readonly string[]
  /** All rows of a sheet, the header first. `onProgress` gets the share that is read, where that is known. */
  rows(sheet: number, onProgress: (share: number) => void): AsyncIterable<readonly SourceCell[]>
}

/** The text of a cell, as the import reads it. */
export function textOf(cell: SourceCell | undefined, decimal: '.' | ','): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return decimal === '.' ? String(cell) : String(cell).replace('.', ',')
  if (typeof cell === 'boolean') return cell ? 'true' : 'false'
  return dateText(cell)
}

/** A date without a time is a day. A spreadsheet has no time zones: its times are those of the reader's clock. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const text = date.toISOString()
  if (text.endsWith('T00:00:00.000Z')) return text.slice(0, 10)
  const clock = text.slice(0, 19)
  return new Date(clock).toISOString()
}
