import { csvReader } from '../import/reading/csv-rows.ts'

/** The rows of a table on the clipboard, all of equal length. Undefined if it is no table: one value alone. */
export function tableIn(text: string, html?: Document): string[][] | undefined {
  const tables = html?.querySelectorAll('table')
  const rows = tables?.length === 1 ? rowsOfHtml(tables[0]) : rowsOfText(text)
  const trimmed = rows.map((row) => row.map((cell) => cell.trim()))
  const filled = trimmed.filter((row) => row.some((cell) => cell !== ''))
  const width = Math.max(0, ...filled.map((row) => row.findLastIndex((cell) => cell !== '') + 1))
  if (filled.length * width < 2) return undefined
  return filled.map((row) => Array.from({ length: width }, (_, index) => row[index] ?? ''))
}

function rowsOfHtml(table: Element | undefined): string[][] {
  const rows = [...(table?.querySelectorAll('tr') ?? [])]
  return rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? ''))
}

/** Spreadsheets write tabs between the cells. Commas and semicolons are cells if each line has as many. */
function rowsOfText(text: string): string[][] {
  if (text.includes('\t')) return read(text, '\t')
  for (const delimiter of [';', ',']) {
    const rows = text.includes(delimiter) ? read(text, delimiter) : []
    if (rows.length > 1 && rows.every(({ length }) => length > 1 && length === rows[0]?.length)) return rows
  }
  return text.split(/\r\n|\r|\n/).map((line) => [line])
}

function read(text: string, delimiter: string): string[][] {
  const reader = csvReader(delimiter)
  try {
    return [...reader.write(text), ...reader.end()]
  } catch {
    // A quote in a text, which is not the begin of a quoted cell.
    return text.split(/\r\n|\r|\n/).map((line) => line.split(delimiter))
  }
}
