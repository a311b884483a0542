import { csvLine } from '@kith/contract/csv/csv-line'
import { readListCell, writeListCell } from '@kith/contract/csv/list-cell'
import { withCountryCode } from '@kith/contract/import/phone-country'
import { type SourceCell, textOf } from './row-source.ts'

/** How a column of the sent file is made from columns of the chosen file. */
export type OutputColumn = {
  name: string
  sources: number[]
  /** `text`: joined by a space. `list`: several values. `split`: several values that no comma can be part of. */
  join: 'text' | 'list' | 'split'
  /** The country of phone numbers without a country code. */
  country?: string | undefined
}

export type RewritePlan = {
  columns: readonly OutputColumn[]
  /** How many columns the header of the chosen file has. */
  width: number
  decimal: '.' | ','
}

const PART = 256 * 1024

/** The rows as the import reads them: UTF-8 with one column for each target, compressed. */
export function rewrite(rows: AsyncIterable<readonly SourceCell[]>, wanted: RewritePlan): Promise<Blob> {
  const texts = textsOf(rows, wanted)
  const encoder = new TextEncoder()
  const lines = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
  // The browser keeps the parts outside of the page's memory.
  return new Response(lines.pipeThrough(new CompressionStream('gzip'))).blob()
}

async function* textsOf(
  rows: AsyncIterable<readonly SourceCell[]>,
  { columns, width, decimal }: RewritePlan,
): AsyncGenerator<string, undefined> {
  let text = csvLine(columns.map(({ name }) => name))
  let isHeader = true
  for await (const cells of rows) {
    if (isHeader) {
      isHeader = false
      continue
    }
    const texts = cells.map((cell) => textOf(cell, decimal))
    // Cells beyond the header stay, so that the import says what is wrong with the row.
    text += csvLine([...columns.map((column) => cellOf(column, texts)), ...texts.slice(width)])
    if (text.length < PART) continue
    yield text
    text = ''
  }
  yield text
  return undefined
}

/** The value of a row in a column of the sent file. */
export function cellOf({ sources, join, country }: OutputColumn, texts: readonly string[]): string {
  const parts = sources.map((source) => texts[source] ?? '')
  if (join === 'text') {
    if (parts.length === 1) return parts[0] ?? ''
    return parts
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(' ')
  }
  const values = parts.flatMap((part) => valuesIn(part.trim(), join)).map((value) => value.trim())
  const filled = values.filter((value) => value !== '')
  return writeListCell(country === undefined ? filled : filled.map((value) => withCountryCode(value, country)))
}

/** Google separates values by three colons, other programs by semicolons or commas. */
function valuesIn(text: string, join: OutputColumn['join']): string[] {
  const whole = text.split(' ::: ').flatMap(readListCell)
  return join === 'split' ? whole.flatMap((value) => value.split(/[,\n]/)) : whole
}
