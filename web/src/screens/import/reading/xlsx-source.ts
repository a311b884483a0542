import { readXlsx } from 'hucre/xlsx'
import type { RowSource, SourceCell } from './row-source.ts'

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
  let read: { sheet: number; rows: Promise<SheetRow[]> } | undefined
  return {
    sheets: sheets.map(({ name }) => name),
    async *rows(sheet) {
      if (read?.sheet !== sheet) read = { sheet, rows: rowsIn(bytes, sheets[sheet]?.index ?? 0) }
      yield* await read.rows
    },
  }
}

type SheetRow = readonly SourceCell[]

/**
 * The rows of a sheet that have a cell. The whole sheet is read at once: a browser unpacks faster than rows can be
 * taken one by one, so that a stream of them holds as much and takes ten times as long.
 */
async function rowsIn(bytes: Uint8Array, index: number): Promise<SheetRow[]> {
  const { sheets } = await readXlsx(bytes, { sheets: (_, at) => at === index })
  const rows: readonly SheetRow[] = sheets[0]?.rows ?? []
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

/** The most that a workbook may take unpacked. */
const UNPACKED_MAX_MB = 512

/** Sheets of real records pack to a tenth. Beyond this size and share, an archive is made to fill the memory. */
const USUAL_MAX_MB = 64

const PACKED_SHARE_MIN = 1 / 100

const END = 0x06054b50

const ENTRY = 0x02014b50

const UNKNOWN = 0xffffffff

/**
 * Refuses an archive that unpacks to more than a browser can hold, before anything is unpacked. The reader of workbooks
 * stops at the sizes that are checked here, so that a wrong size in the directory does not help.
 */
function refuseZipBomb(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(view)
  if (end === undefined)
    throw new Error('The file is damaged or is not an XLSX workbook. Open it in Excel and save it again.')
  let at = view.getUint32(end + 16, true)
  let total = 0
  let archived = 0
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== ENTRY) throw damaged()
    const packed = view.getUint32(at + 20, true)
    const unpacked = view.getUint32(at + 24, true)
    // Sizes beyond 4 GB, or none where there are bytes: no workbook that anyone can open has them.
    if (packed === UNKNOWN || unpacked === UNKNOWN || (packed > 0 && unpacked === 0)) throw tooLarge()
    total += unpacked
    archived += packed
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (total > UNPACKED_MAX_MB * MB) throw tooLarge()
  if (total > USUAL_MAX_MB * MB && archived < total * PACKED_SHARE_MIN) throw tooDense()
}

/** The end of the directory is in the last 64 KB. */
function endOf(view: DataView): number | undefined {
  const last = view.byteLength - 22
  for (let at = last; at >= Math.max(0, last - 65_536); at--) {
    if (view.getUint32(at, true) === END) return at
  }
  return undefined
}

function damaged(): Error {
  return new Error('The file is damaged. Open it in Excel and save it again.')
}

function tooLarge(): Error {
  return new Error(
    `The workbook is larger than ${UNPACKED_MAX_MB} MB when it is unpacked, so it is not opened. ` +
      'Save the sheet that you need as CSV and import that.',
  )
}

function tooDense(): Error {
  return new Error(
    'The workbook unpacks to more than 100 times its size, as files do that are made to fill the memory, so it is not ' +
      'opened. Save the sheet that you need as CSV and import that.',
  )
}
