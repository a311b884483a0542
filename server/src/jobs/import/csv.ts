import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import { CsvError, type Options, parse } from 'csv-parse'

/**
 * The longest row, in bytes: the largest record fits with its links. A quote that is never closed makes a row of the
 * rest of the file.
 */
export const ROW_MAX_BYTES = 2 * RECORD_MAX_BYTES

/**
 * Reads texts as CSV: RFC 4180, any line ends, quotes inside of a value, rows of any length. `take` gets each row, and
 * returns null if the parser shall not pass it on.
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

/** What is wrong with a file that is no CSV, and where. */
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
 * `isColumn` tells whether the job knows a column of the name of the whole header.
 */
export function delimiterIn(header: string, isColumn: (name: string) => boolean): string {
  const outside = header.replaceAll(/"[^"]*"/g, '')
  if (outside.includes(',') || isColumn(header.trim())) return ','
  const counted = CANDIDATES.map((delimiter) => ({ delimiter, count: outside.split(delimiter).length - 1 }))
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one))
  return best.count > 0 ? best.delimiter : ','
}
