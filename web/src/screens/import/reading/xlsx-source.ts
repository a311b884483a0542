import { readXlsx } from 'hucre/xlsx'
import type { RowSource, SourceCell } from './row-source.ts'
import { refuseZipBomb } from './zip-check.ts'

const FILE_MAX_MB = 128
const MB = 1024 * 1024

type Sheet = { name: string; index: number }

/** The rows of the sheets of an XLSX workbook. */
export async function xlsxSource(file: File): Promise<RowSource> {
  if (file.size > FILE_MAX_MB * MB) {
    throw new Error(`The workbook is larger than ${FILE_MAX_MB} MB. Save the sheet as CSV and import that.`)
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  if (isOldOrLocked(bytes)) {
    throw new Error('The workbook has a password or is an old XLS file. Save it as XLSX without a password.')
  }
  refuseZipBomb(bytes)
  const sheets = await sheetsIn(bytes)
  if (sheets.length === 0) throw new Error('The workbook has no sheets that can be seen.')
  // A sheet is read twice: to look at it, and to send it.
  let read: { sheet: number; rows: Promise<Row[]> } | undefined
  return {
    sheets: sheets.map(({ name }) => name),
    async *rows(sheet) {
      if (read?.sheet !== sheet) read = { sheet, rows: rowsIn(bytes, sheets[sheet]?.index ?? 0) }
      yield* await read.rows
    },
  }
}

type Row = readonly SourceCell[]

/**
 * The rows of a sheet that have a cell. The whole sheet is read at once: a browser unpacks faster than rows can be
 * taken one by one, so that a stream of them holds as much and takes ten times as long.
 */
async function rowsIn(bytes: Uint8Array, index: number): Promise<Row[]> {
  const { sheets } = await readXlsx(bytes, { sheets: (_, at) => at === index })
  const rows: readonly Row[] = sheets[0]?.rows ?? []
  return rows.filter((row) => row.some((cell) => cell !== null && cell !== ''))
}

/** Without their rows. */
async function sheetsIn(bytes: Uint8Array): Promise<Sheet[]> {
  const found: Sheet[] = []
  await readXlsx(bytes, {
    sheets: ({ name, hidden, veryHidden }, index) => {
      if (!hidden && !veryHidden) found.push({ name, index })
      return false
    },
  })
  return found
}

/** Both are containers of an older format. */
function isOldOrLocked(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, index) => bytes[index] === byte)
}
