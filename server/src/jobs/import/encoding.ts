import { isAscii, isUtf8 } from 'node:buffer'
import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { CsvError, type Options, parse } from 'csv-parse'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const ACCEPTED = 'UTF-8, UTF-16 and Windows-1252 are accepted.'

/** Detects UTF-16 in the first bytes: by its byte order mark, or by the zeros in every other byte of Latin text. */
export function utf16In(first: Buffer): Encoding | undefined {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le'
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be'
  const start = first.subarray(0, 64)
  const zeros = [0, 0]
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  if (even > start.length / 4 && odd === 0) return 'utf-16be'
  return undefined
}

/** Detects, byte by byte, whether a file is UTF-8 or Windows-1252. */
type Detector = { write(bytes: Buffer): void; end(): Encoding }

export function detectEncoding(): Detector {
  let tail: Buffer = Buffer.alloc(0)
  let hasUtf8 = false
  let isLatin = false

  function write(bytes: Buffer): void {
    if (bytes.includes(0)) refuseFile(`The file contains NUL bytes, so it is not text. ${ACCEPTED}`)
    if (isLatin) checkLatin(bytes)
    if (isLatin || (tail.length === 0 && isAscii(bytes))) return
    const whole = Buffer.concat([tail, bytes])
    const end = whole.length - unfinished(whole)
    const complete = whole.subarray(0, end)
    tail = whole.subarray(end)
    if (isUtf8(complete)) hasUtf8 ||= !isAscii(complete)
    else beLatin(whole)
  }

  /** Broken UTF-8 must not be read as other letters. Windows-1252 text contains hardly any valid UTF-8. */
  function beLatin(bytes: Buffer): void {
    const letters = [...bytes.toString('utf8')].filter((letter) => letter > '\x7f')
    const broken = letters.filter((letter) => letter === '\uFFFD').length
    if (hasUtf8 || broken * 2 < letters.length) {
      refuseFile('The file is UTF-8 with broken characters in it. Save it as UTF-8 and send it again.')
    }
    isLatin = true
    tail = Buffer.alloc(0)
    checkLatin(bytes)
  }

  return {
    write,
    end() {
      if (isLatin) return 'windows-1252'
      if (tail.length === 0) return 'utf-8'
      if (hasUtf8) refuseFile('The file ends in the middle of a character. It was cut off: send the whole file.')
      checkLatin(tail)
      return 'windows-1252'
    },
  }
}

/** The number of bytes at the end that belong to an incomplete character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    // No character begins with a byte above these.
    if (byte >= 0xc0) return byte < 0xf8 && lengthOf(byte) > back ? back : 0
  }
  return 0
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}

const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d]

function checkLatin(bytes: Buffer): void {
  if (UNDEFINED.some((byte) => bytes.includes(byte))) {
    refuseFile(`The file is neither UTF-8 nor Windows-1252. ${ACCEPTED}`)
  }
}

export function refuseFile(message: string): never {
  return refuseValue('file', message)
}

/** The facts about a file from the check during its upload. */
export type FileFacts = {
  encoding: Encoding
  delimiter: string
  rows: number
  /** The header of CSV. */
  columns: string[]
}

/**
 * The maximum length of a row in bytes: the largest record with its links. An unclosed quote makes a row of the rest of
 * the file.
 */
export const ROW_MAX_BYTES = 2 * RECORD_MAX_BYTES

/**
 * Parses CSV: RFC 4180, any line ends, quotes inside a value, rows of any length. `take` gets each row, and returns
 * null so that the parser does not emit it.
 */
export function csvParser(delimiter: string, take?: (cells: string[]) => null) {
  return parse({ ...options, delimiter, on_record: take })
}

const options: Options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: ROW_MAX_BYTES,
}

/** The problem with a file that is not CSV, and its position. */
export function csvProblem(error: unknown): string | undefined {
  if (!(error instanceof CsvError)) return undefined
  const { code, records } = error
  const where = records === 0 ? 'The header' : `Row ${records}`
  if (code === 'CSV_QUOTE_NOT_CLOSED') {
    return `${where} has a quote that is never closed. The file was cut off there, or a quote is missing.`
  }
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `${where} is longer than 2 MiB. A closing quote may be missing in it.`
  }
  return undefined
}

const CANDIDATES = [';', '\t', '|']

/**
 * The delimiter of a file whose job names none: a comma, unless the header has no comma but another usual delimiter.
 * `isColumn` tells whether the whole header is the name of a column that the job knows.
 */
export function delimiterIn(header: string, isColumn: (name: string) => boolean): string {
  const outside = header.replaceAll(/"[^"]*"/g, '')
  if (outside.includes(',') || isColumn(header.trim())) return ','
  const counted = CANDIDATES.map((delimiter) => ({ delimiter, count: outside.split(delimiter).length - 1 }))
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one))
  return best.count > 0 ? best.delimiter : ','
}

/** Splits texts into lines, without those that are empty. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const rest = newLineSplitter()
  for await (const text of texts) yield* rest.lines(text)
  yield* rest.last()
}

export function newLineSplitter() {
  let open = ''
  return {
    *lines(text: string): Generator<string> {
      const parts = (open + text).split('\n')
      open = parts.pop() ?? ''
      for (const line of parts) if (line.trim() !== '') yield line
    },
    /** The length of the incomplete line. */
    open: () => open.length,
    *last(): Generator<string> {
      if (open.trim() !== '') yield open
    },
  }
}

/** Whether a line is the last line of an export, which is not a record. */
export function isEndLine(line: string): boolean {
  return /^\s*\{\s*"type"\s*:\s*"end"/.test(line)
}
