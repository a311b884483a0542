import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { writeListCell } from '@kith/contract/csv/list-cell'
import type { Cell } from './cells.ts'

/** Without it, Excel reads the file in an old encoding. */
const BYTE_ORDER_MARK = '\uFEFF'
const PART = 64 * 1024

/** A CSV file as a stream: the labels of the columns, then the rows. */
export function csvFile(
  labels: readonly string[],
  rows: AsyncIterable<Cell[]>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const lines = csvLines(labels, rows)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}

async function* csvLines(labels: readonly string[], rows: AsyncIterable<Cell[]>): AsyncGenerator<string, undefined> {
  let text = BYTE_ORDER_MARK + csvLine(labels.map(escapeFormula))
  for await (const row of rows) {
    text += csvLine(row.map(csvCell))
    if (text.length < PART) continue
    yield text
    text = ''
  }
  yield text
  return undefined
}

/** Times are as the API has them, so that an import of the file reads them back. */
export function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return escapeFormula(cell)
  if (typeof cell !== 'object') return String(cell)
  if ('list' in cell) return writeListCell(cell.list)
  return 'day' in cell ? cell.day : cell.moment
}
