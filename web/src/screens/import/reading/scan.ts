import { IMPORT_COLUMNS_MAX, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import { type ColumnContent, contentOf } from '../columns/content.ts'
import { type RowSource, textOf } from './row-source.ts'

/** The facts about a file that the screen needs. */
export type FileScan = {
  header: string[]
  /** The first rows as texts. */
  rows: string[][]
  /** How many rows follow the header. */
  total: number
  columns: {
    /** How many cells are not empty. */
    filled: number
    /** The different values, up to a limit. Null if there are more. */
    values: string[] | null
  }[]
  /** What the first rows of each column look like. Read here, because it takes long for many columns. */
  contents: ColumnContent[]
}

const SHOWN = 200
/** Of a file with many columns, fewer rows are shown: the page stays quick. */
const CELLS_SHOWN = 40_000
const VALUES_MAX = 100

/** Reads a sheet to its end, to count its rows and to recognise its columns. */
export async function scan(source: RowSource, sheet: number, onProgress: (share: number) => void): Promise<FileScan> {
  let header: string[] | undefined
  const rows: string[][] = []
  let total = 0
  const columns: { filled: number; values: Set<string> | null }[] = []
  for await (const cells of source.rows(sheet, onProgress)) {
    if (!header) {
      header = headerOf(cells.map((cell) => textOf(cell, '.')))
      for (const _ of header) columns.push({ filled: 0, values: new Set() })
      continue
    }
    total++
    if (total > IMPORT_ROWS_MAX) {
      throw new Error(`The file has more than ${IMPORT_ROWS_MAX} rows. Split it into several files.`)
    }
    const texts = cells.map((cell) => textOf(cell, '.'))
    if (rows.length < Math.min(SHOWN, CELLS_SHOWN / header.length)) rows.push(texts)
    for (const [index, column] of columns.entries()) note(column, texts[index]?.trim() ?? '')
  }
  if (!header) throw new Error('The file is empty.')
  if (total === 0) throw new Error('The file has a header and no rows.')
  const facts = columns.map(({ filled, values }) => ({ filled, values: values && [...values] }))
  const contents = facts.map((fact, index) => contentOf(cellsAt(rows, index), fact))
  return { header, rows, total, columns: facts, contents }
}

function cellsAt(rows: readonly string[][], index: number): string[] {
  return rows.map((row) => row[index] ?? '')
}

function note(column: { filled: number; values: Set<string> | null }, text: string): void {
  if (text === '') return
  column.filled++
  column.values?.add(text)
  if (column.values && column.values.size > VALUES_MAX) column.values = null
}

/** Every column has a name of its own: the import tells them apart by it. Empty columns at the end are left out. */
function headerOf(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim())
  while (names.at(-1) === '') names.pop()
  if (names.length === 0) throw new Error('The first row is empty. It must have the names of the columns.')
  if (names.length > IMPORT_COLUMNS_MAX) {
    throw new Error(`The file has ${names.length} columns. At most ${IMPORT_COLUMNS_MAX} can be imported.`)
  }
  const seen = new Set<string>()
  return names.map((name, index) => {
    const wanted = name === '' ? `Column ${index + 1}` : name
    let own = wanted
    for (let number = 2; seen.has(own); number++) own = `${wanted} (${number})`
    seen.add(own)
    return own
  })
}
