import { lengthOf } from '@kith/contract/fold'
import { isObject, parseJson } from '@kith/contract/raw-input'
import { BadUsage, type Context } from './command.ts'

/** One line per row, with aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell))
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

/** A table with a header line. */
export function printTable(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : oneLine(cell))))
  return alignColumns([columns.map((column) => column.toUpperCase()), ...cells]).join('\n')
}

/** Removes control characters from names, because they could control the terminal. */
function oneLine(cell: string): string {
  return cell.replaceAll(/\p{Cc}+/gu, ' ')
}

/**
 * A list of many columns. On a terminal it is a table of its width, without the columns that are empty or do not fit.
 * Elsewhere it has a line for each row with its values between tabs, and no header, so that scripts can cut it.
 */
export function printList(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string {
  const cells = rows.map((row) => row.map(oneLine))
  if (width === undefined) return cells.map((row) => row.join('\t')).join('\n')
  const table = [columns.map((column) => column.toUpperCase()), ...cells]
  const used = columns.flatMap((_, index) => (cells.some((row) => row[index] !== '') ? [index] : []))
  const widths = fittingWidths(
    used.map((index) => Math.max(...table.map((row) => lengthOf(row[index] ?? '')))),
    width,
  )
  const shown = table.map((row) => widths.map((most, place) => cut(row[used[place] ?? 0] ?? '', most)))
  return cells.length === 0 ? '' : alignColumns(shown).join('\n')
}

const GAP = 2

/** A column is not made narrower than this. Those that do not fit then are left out. */
const NARROW = 12

/** The first column keeps its width: it has the IDs. The widest of the others get narrower. */
function fittingWidths([first = 0, ...others]: readonly number[], width: number): number[] {
  const widths: number[] = []
  let left = width - first
  for (const natural of others) {
    left -= Math.min(natural, NARROW) + GAP
    if (left < 0) break
    widths.push(natural)
  }
  const room = width - first - widths.length * GAP
  while (widths.reduce((sum, one) => sum + one, 0) > room) {
    const widest = Math.max(...widths)
    widths[widths.indexOf(widest)] = widest - 1
  }
  return [first, ...widths]
}

function cut(text: string, most: number): string {
  return lengthOf(text) <= most ? text : `${[...text].slice(0, most - 1).join('')}…`
}

/** The filter of `--filter`. The service checks its conditions. */
export function filterIn(text: string): object {
  const filter = parseJson(text)
  if (!isObject(filter)) throw new BadUsage(`--filter must be a JSON object such as {"name": {"$contains": "labs"}}.`)
  return filter
}

/** Shows the progress of a long command: a bar on a terminal, otherwise a line from time to time. */
type Progress = {
  show(done: number): void
  /** Shows the final number. */
  end(done: number): void
}

const BAR = 24

const REDRAW_MS = 200

const LINE_MS = 5000

export function newProgress(
  { isInteractive, printError }: Context,
  {
    what,
    total,
  }: {
    /** The noun for the items, such as `people`. */
    what: string
    /** Undefined if it is not known. */
    total: number | undefined
  },
): Progress {
  const started = performance.now()
  let shown = started
  const rate = (done: number) => `${grouped((done / Math.max(1, performance.now() - started)) * 1000)} per second`
  const ofTotal = (done: number) => `${grouped(done)}${total === undefined ? '' : ` of ${grouped(total)}`} ${what}`
  const draw = (done: number) => {
    if (isInteractive) printError(`\r${bar(done, total)}${ofTotal(done)}, ${rate(done)}\u001b[K`)
    else printError(`${ofTotal(done)}\n`)
  }
  return {
    show(done) {
      const now = performance.now()
      if (now - shown < (isInteractive ? REDRAW_MS : LINE_MS)) return
      shown = now
      draw(done)
    },
    end(done) {
      if (isInteractive) printError('\r\u001b[K')
      printError(`${grouped(done)} ${what}, ${rate(done)}.\n`)
    },
  }
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return ''
  const share = Math.min(1, done / total)
  const full = Math.round(share * BAR)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.floor(share * 100)} %  `
}

function grouped(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
