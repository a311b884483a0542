import { KithError } from './failures.ts'
import { type Connection, openStream } from './transport.ts'
import { wait } from './wait.ts'

/** An export and how far it has come. */
export type ExportRun = {
  readonly format: 'ndjson' | 'csv'
  readonly signal: AbortSignal | undefined
  pathAfter(id: string): string
  /** The id of the last record that has come. */
  after: string
  changesCursor: string
  count: number
}

type Rows = { text: string; isFirst: boolean }

const FIRST_WAIT = 0.5

/** The rows of an export, as pieces of text that end with a row. If it is cut off, it continues after the last row. */
export async function* readRows(connection: Connection, run: ExportRun): AsyncGenerator<Rows> {
  for (let failures = 0; ; ) {
    const before = run.count
    try {
      yield* readResponse(connection, run)
      return
    } catch (error) {
      run.signal?.throwIfAborted()
      connection.signal?.throwIfAborted()
      if (!(error instanceof CutOff)) throw error
      failures = run.count > before ? 0 : failures + 1
      if (failures > connection.retries)
        throw new KithError({ kind: 'unreachable', message: error.message, cause: error })
      await wait(FIRST_WAIT * 2 ** failures, run.signal)
    }
  }
}

/** The response ended before the export did. */
class CutOff extends Error {}

async function* readResponse(connection: Connection, run: ExportRun): AsyncGenerator<Rows> {
  const { format, signal } = run
  const call = { method: 'GET', path: run.pathAfter(run.after), repeatable: true, signal } as const
  const response = await openStream(connection, call)
  // Those who read on from here miss nothing that happened since the first response.
  run.changesCursor ||= response.headers.get('X-Changes-Cursor') ?? ''
  const before = run.count
  let end: number | undefined
  let isFirst = true
  for await (const rows of wholeRows(response, format)) {
    const { text, count, last } = format === 'csv' ? rows : withoutEnd(rows)
    end = format === 'csv' ? undefined : endIn(rows.last)
    const records = isFirst && format === 'csv' ? count - 1 : count
    run.count += records
    if (records > 0) run.after = idIn(last, format)
    if (text !== '') yield { text, isFirst }
    isFirst = false
  }
  if (format === 'csv') return
  if (end === undefined) throw new CutOff('The export was cut off before its last line.')
  if (end !== run.count - before) throw new CutOff(`The export has ${run.count - before} records, not ${end}.`)
}

type WholeRows = { text: string; count: number; last: string }

/** The response in pieces of whole rows. */
async function* wholeRows(response: Response, format: ExportRun['format']): AsyncGenerator<WholeRows> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = (await reader?.read().catch(cutOff)) ?? { done: true }
      if (done) break
      rest += decoder.decode(value, { stream: true })
      const rows = rowsIn(rest, format)
      rest = rest.slice(rows.text.length)
      if (rows.count > 0) yield rows
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
  if (rest !== '') throw new CutOff('The export was cut off within a row.')
}

function cutOff(error: unknown): never {
  throw new CutOff(`The export was cut off: ${error instanceof Error ? error.message : error}`)
}

const QUOTE = 34
const LINE_FEED = 10

/** The whole rows at the start of a text. In CSV a line feed between quotes ends no row. */
function rowsIn(text: string, format: ExportRun['format']): WholeRows {
  let [quoted, end, start, count] = [false, 0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE && format === 'csv') quoted = !quoted
    if (code !== LINE_FEED || quoted) continue
    start = end
    end = at + 1
    count++
  }
  return { text: text.slice(0, end), count, last: text.slice(start, end) }
}

const END = '{"type":"end"'

function endIn(line: string): number | undefined {
  return line.startsWith(END) ? JSON.parse(line).meta.count : undefined
}

/** The records without the line that ends the export. */
function withoutEnd({ text, count, last }: WholeRows): WholeRows {
  if (!last.startsWith(END)) return { text, count, last }
  const records = text.slice(0, text.length - last.length)
  const start = records.lastIndexOf('\n', records.length - 2) + 1
  return { text: records, count: count - 1, last: records.slice(start) }
}

function idIn(row: string, format: ExportRun['format']): string {
  return format === 'csv' ? row.slice(0, row.search(/[,\r]/)) : JSON.parse(row).id
}
