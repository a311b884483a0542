import { finished } from 'node:stream/promises'
import { IMPORT_COLUMNS_MAX, IMPORT_ROWS_MAX } from '@kith/contract/limits'
import type { ExpectedFile } from '../change-job.ts'
import {
  csvParser,
  csvProblem,
  delimiterIn,
  detectEncoding,
  type Encoding,
  type FileFacts,
  isEndLine,
  newLineSplitter,
  ROW_MAX_BYTES,
  refuseFile,
  utf16In,
} from './encoding.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** A check that runs in another thread. The thread drops it when it ends, fails or is dropped. */
export type ThreadCheck = FileCheck & { drop(): void }

/** A message to the thread. The first part of a file contains the settings of the check. */
type FilePart = { check: number } & ({ expected?: ExpectedFile; bytes: Uint8Array } | { end: true } | { drop: true })

let last = 0

/**
 * Checks a file in another thread: parsing takes a tenth of a second per megabyte, which would delay all other
 * requests. The parts of several files take turns.
 */
export function checkInThread(send: (part: unknown) => Promise<unknown>, expected: ExpectedFile): ThreadCheck {
  const check = ++last
  let isOpen = false

  const sendPart = (part: FilePart) => send(part)

  return {
    async write(bytes) {
      const first = isOpen ? {} : { expected }
      isOpen = true
      await sendPart({ check, ...first, bytes })
    },
    async end() {
      if (!isOpen) return checkFile(expected).end()
      // The result of the check in the thread.
      return (await sendPart({ check, end: true })) as FileFacts
    },
    drop() {
      // A thread that has ended has no check to drop.
      if (isOpen) sendPart({ check, drop: true }).catch(() => {})
    },
  }
}

/** The files that the thread is checking. */
const open = new Map<number, FileCheck>()

/** Runs inside the thread. */
export async function checkPart(sent: unknown): Promise<FileFacts | undefined> {
  // Sent by checkInThread.
  const part = sent as FilePart
  if ('bytes' in part && part.expected) open.set(part.check, checkFile(part.expected))
  const check = open.get(part.check)
  try {
    if ('drop' in part) open.delete(part.check)
    else if (!check) throw new Error('The thread for files was restarted while it checked one.')
    else if ('end' in part) return await check.end()
    else await check.write(Buffer.from(part.bytes.buffer, part.bytes.byteOffset, part.bytes.byteLength))
    return undefined
  } catch (error) {
    open.delete(part.check)
    throw error
  } finally {
    if ('end' in part) open.delete(part.check)
  }
}

/** Checks a file while it is received, so that an unreadable file is refused as a whole. */
export type FileCheck = { write(bytes: Buffer): Promise<void>; end(): Promise<FileFacts> }

export function checkFile(expected: ExpectedFile): FileCheck {
  const detector = detectEncoding()
  let wide: ReturnType<typeof utf16In>
  let decoder: TextDecoder | undefined
  let started: { rows: RowCounter } | undefined

  /** Letters beyond ASCII do not change the structure: one byte is one letter until the encoding is known. */
  function textOf(bytes: Buffer): string {
    if (decoder) return decoder.decode(bytes, { stream: true })
    detector.write(bytes)
    return bytes.toString('latin1')
  }

  /** Decodes a text that was read with one byte as one letter. */
  function read(text: string, encoding: Encoding): string {
    return wide === undefined ? new TextDecoder(encoding).decode(Buffer.from(text, 'latin1')) : text
  }

  return {
    async write(bytes) {
      const isFirst = !started
      if (!started) {
        refuseArchive(bytes)
        wide = utf16In(bytes)
        if (wide !== undefined && expected.format === 'ndjson') refuseFile('NDJSON must be UTF-8.')
        decoder = wide && new TextDecoder(wide)
        started = { rows: expected.format === 'csv' ? countCsv(expected) : countLines() }
      }
      await started.rows.write(textOf(isFirst ? withoutMark(bytes) : bytes))
    },
    async end() {
      if (!started) refuseFile('The file is empty.')
      const { rows, delimiter, header } = await started.rows.end()
      const encoding = wide ?? detector.end()
      if (expected.format === 'ndjson' && encoding !== 'utf-8') refuseFile('NDJSON must be UTF-8.')
      return { encoding, delimiter, rows, columns: header.map((name) => read(name, encoding)) }
    },
  }
}

type RowCounter = {
  write(text: string): Promise<void>
  end(): Promise<{ rows: number; delimiter: string; header: readonly string[] }>
}

/** A byte order mark before a quote would make the quote a part of the value. */
function withoutMark(first: Buffer): Buffer {
  return first.subarray(0, 3).equals(MARK) ? first.subarray(3) : first
}

function refuseArchive(first: Buffer): void {
  if (first.subarray(0, 2).toString('latin1') !== 'PK') return
  refuseFile('The file is a ZIP archive or an XLSX workbook. Save the sheet as CSV and send that.')
}

/** The header may be as long as a row. It must be complete before anything can be parsed. */
function countCsv(expected: ExpectedFile): RowCounter {
  let head = ''
  let delimiter = expected.delimiter
  let parser: ReturnType<typeof csvParser> | undefined
  let records = 0
  let header: readonly string[] = []

  /** Counts a record. The parser keeps no records. */
  function take(cells: string[]): null {
    if (records === 0) header = cells
    refuseWide(cells.length, records)
    refuseTooMany(records)
    records++
    return null
  }

  function open(): ReturnType<typeof csvParser> {
    delimiter ??= delimiterIn(head.split(/[\r\n]/, 1)[0] ?? '', (name) => expected.columns.includes(name))
    // Errors are reported to the writer.
    return csvParser(delimiter, take).on('error', () => {})
  }

  async function feed(text: string): Promise<void> {
    parser ??= open()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    parser.write(text, (error) => (error ? reject(error) : resolve()))
    await promise.catch(refuseBroken)
  }

  return {
    async write(text) {
      if (parser) return feed(text)
      head += text
      if (/[\r\n]/.test(head.trimStart()) || head.length > ROW_MAX_BYTES) await feed(head)
    },
    async end() {
      if (!parser) await feed(head)
      await (parser && finished(parser.end(), { readable: false }).catch(refuseBroken))
      if (records === 0) refuseFile('The file is empty.')
      return { rows: records - 1, delimiter: delimiter ?? ',', header }
    },
  }
}

function refuseBroken(error: unknown): never {
  const problem = csvProblem(error)
  if (problem === undefined) throw error
  return refuseFile(problem)
}

function countLines(): RowCounter {
  const splitter = newLineSplitter()
  let rows = 0
  function add(lines: Iterable<string>): void {
    for (const line of lines) {
      if (line.length > ROW_MAX_BYTES) refuseLong()
      if (isEndLine(line)) continue
      rows++
      refuseTooMany(rows)
    }
  }
  function refuseLong(): never {
    return refuseFile(`Row ${rows + 1} is longer than 2 MiB.`)
  }
  return {
    async write(text) {
      add(splitter.lines(text))
      if (splitter.open() > ROW_MAX_BYTES) refuseLong()
    },
    async end() {
      add(splitter.last())
      if (rows === 0) refuseFile('The file is empty.')
      return { rows, delimiter: ',', header: [] }
    },
  }
}

function refuseWide(columns: number, row: number): void {
  if (columns <= IMPORT_COLUMNS_MAX) return
  const where = row === 0 ? 'The header' : `Row ${row}`
  refuseFile(`${where} has ${columns} columns. At most ${IMPORT_COLUMNS_MAX} are accepted.`)
}

function refuseTooMany(rows: number): void {
  if (rows > IMPORT_ROWS_MAX) {
    refuseFile(`The file has more than ${IMPORT_ROWS_MAX} rows. Split it into several files.`)
  }
}
