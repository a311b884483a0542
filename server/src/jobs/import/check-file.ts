import { finished } from 'node:stream/promises'
import { IMPORT_ROWS_MAX } from '@kith/contract/limits'
import { csvParser, csvProblem, delimiterIn, ROW_MAX_BYTES } from './csv.ts'
import { detectEncoding, type Encoding, type FileFacts, refuseFile, utf16In } from './encoding.ts'
import { isEndLine, newLineSplitter } from './ndjson.ts'

type Checking = {
  format: 'csv' | 'ndjson'
  /** Null where the job names none. */
  delimiter: string | null
  /** Whether the job knows a column of this name. */
  isColumn(name: string): boolean
}

/** Checks a file while it is received, so that one that cannot be read is refused as a whole. */
export type FileCheck = { write(bytes: Buffer): Promise<void>; end(): Promise<FileFacts> }

export function checkFile(checking: Checking): FileCheck {
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

  /** A text that was read with one byte as one letter. */
  function read(text: string, encoding: Encoding): string {
    return wide === undefined ? new TextDecoder(encoding).decode(Buffer.from(text, 'latin1')) : text
  }

  return {
    async write(bytes) {
      const isFirst = !started
      if (!started) {
        refuseArchive(bytes)
        wide = utf16In(bytes)
        if (wide !== undefined && checking.format === 'ndjson') refuseFile('NDJSON must be UTF-8.')
        decoder = wide && new TextDecoder(wide)
        started = { rows: checking.format === 'csv' ? countCsv(checking) : countLines() }
      }
      await started.rows.write(textOf(isFirst ? withoutMark(bytes) : bytes))
    },
    async end() {
      if (!started) refuseFile('The file is empty.')
      const { rows, delimiter, header } = await started.rows.end()
      const encoding = wide ?? detector.end()
      if (checking.format === 'ndjson' && encoding !== 'utf-8') refuseFile('NDJSON must be UTF-8.')
      return { encoding, delimiter, rows, columns: header.map((name) => read(name, encoding)) }
    },
  }
}

type Counted = { rows: number; delimiter: string; header: readonly string[] }
type RowCounter = { write(text: string): Promise<void>; end(): Promise<Counted> }

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** A byte order mark before a quote would make the quote a part of the value. */
function withoutMark(first: Buffer): Buffer {
  return first.subarray(0, 3).equals(MARK) ? first.subarray(3) : first
}

function refuseArchive(first: Buffer): void {
  if (first.subarray(0, 2).toString('latin1') !== 'PK') return
  refuseFile('The file is a ZIP archive or an XLSX workbook. Save the sheet as CSV and send that.')
}

/** The header may be as long as a row. It is needed before anything can be parsed. */
function countCsv(checking: Checking): RowCounter {
  let head = ''
  let delimiter = checking.delimiter
  let parser: ReturnType<typeof csvParser> | undefined
  let records = 0
  let header: readonly string[] = []

  /** Counts a record. The parser keeps none of them. */
  function take(cells: string[]): null {
    if (records === 0) header = cells
    refuseTooMany(records)
    records++
    return null
  }

  function open(): ReturnType<typeof csvParser> {
    delimiter ??= delimiterIn(head.split(/[\r\n]/, 1)[0] ?? '', checking.isColumn)
    // What fails is told to the one who writes.
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

function refuseTooMany(rows: number): void {
  if (rows > IMPORT_ROWS_MAX) {
    refuseFile(`The file has more than ${IMPORT_ROWS_MAX} rows. Split it into several files.`)
  }
}
