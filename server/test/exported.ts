import { csvLine } from '@kith/contract/csv/csv-line'
import type { Api } from './api.ts'

/** A line of an export: a record in the sync form, or the end. */
export type ExportedLine = {
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into attributes of every shape.
  attributes: any
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  relationships?: any
  meta?: { count: number; changes_cursor: string }
}

/** Opens an export. Paths begin behind `/api/v1`. */
export function openExport({ base, token }: Api, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(base + path, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } })
}

/** Reads a whole export in NDJSON. */
export async function readExport(api: Api, path: string) {
  const response = await openExport(api, path)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line): ExportedLine => JSON.parse(line))
  const end = lines.pop()
  return { response, text, records: lines, end, ids: lines.map(({ id }) => id) }
}

/** Reads a whole export in CSV: the rows of cells, the header first. */
export async function readCsv(api: Api, path: string): Promise<string[][]> {
  const response = await openExport(api, path)
  const text = await response.text()
  if (response.status !== 200) throw new Error(text)
  return cellsIn(text)
}

const CELL = /("(?:[^"]|"")*"|[^,\r\n"]*)(,|\r\n)/g

function cellsIn(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, cell = '', end] of text.matchAll(CELL)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end !== ',') rows.push([])
  }
  const read = rows.slice(0, -1)
  if (read.map(csvLine).join('') !== text) throw new Error(`This is no CSV: ${text}`)
  return read
}
