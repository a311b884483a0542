import { fieldTypes } from '@kith/contract/field-types'
import { writeXlsxStream } from 'hucre/xlsx'
import type { Property } from '../../properties/property.ts'
import type { Column } from '../records/columns.ts'
import type { Cell } from './cells.ts'

/** A spreadsheet as a stream. Rows are compressed as they come, so that its size does not count for the memory. */
export function xlsxFile(
  name: string,
  columns: readonly Column[],
  rows: AsyncIterable<Cell[]>,
): ReadableStream<Uint8Array> {
  return writeXlsxStream(cellsOf(rows), {
    name,
    columns: columns.map(({ property, width }) => {
      const numFmt = formatOf(property)
      return { header: property.label, width: Math.round(width / 7), ...(numFmt && { numFmt }) }
    }),
    freezePane: { rows: 1 },
  })
}

async function* cellsOf(rows: AsyncIterable<Cell[]>): AsyncGenerator<XlsxCell[]> {
  for await (const row of rows) yield row.map(xlsxCell)
}

type XlsxCell = null | string | number | boolean | Date

/** The longest text that Excel takes. With a longer one it calls the whole file damaged. */
const TEXT_MAX = 32_767

/** Days, moments and numbers as such, texts as texts: a spreadsheet executes none of them. */
export function xlsxCell(cell: Cell): XlsxCell {
  if (cell === null || typeof cell === 'number' || typeof cell === 'boolean') return cell
  if (typeof cell === 'string') return textOf(cell)
  if ('list' in cell) return cell.list.length === 0 ? null : textOf(joined(cell.list))
  if ('day' in cell) return new Date(`${cell.day}T00:00:00Z`)
  // A spreadsheet has no time zones: it shows the clock of the reader.
  const moment = new Date(cell.moment)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
}

function joined(list: readonly string[]): string {
  return list.some((item) => item.includes(';')) ? JSON.stringify(list) : list.join('; ')
}

function textOf(text: string): string {
  const clean = Array.from(text.toWellFormed(), (letter) => (isAllowed(letter) ? letter : '')).join('')
  return clean.length <= TEXT_MAX ? clean : `${clean.slice(0, TEXT_MAX - 1)}…`
}

/** XML has no control characters except tab, line feed and carriage return. */
function isAllowed(letter: string): boolean {
  return letter >= ' ' || letter === '\t' || letter === '\n' || letter === '\r'
}

function formatOf(property: Property): string | undefined {
  if (property.kind === 'related') return formatOf(property.of)
  if (property.kind === 'time') return 'yyyy-mm-dd hh:mm'
  if (property.kind !== 'custom') return undefined
  const { type, settings } = property.field
  const { kind } = fieldTypes[type]
  if (kind === 'Date') return 'yyyy-mm-dd'
  if (kind === 'DateTime') return 'yyyy-mm-dd hh:mm'
  if (settings.currency === undefined) return undefined
  const decimals = settings.decimals ?? 2
  return `#,##0${decimals > 0 ? `.${'0'.repeat(decimals)}` : ''} "${settings.currency}"`
}
