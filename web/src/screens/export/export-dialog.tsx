import { csvLine } from '@kith/contract/csv/csv-line'
import { escapeFormula } from '@kith/contract/csv/formula'
import { writeListCell } from '@kith/contract/csv/list-cell'
import { fieldTypes } from '@kith/contract/field-types'
import { attributesOf, type Resource, type ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { FileSpreadsheet, FileText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { messageOf } from '../../api/problems.ts'
import type { RecordPage } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatNumber } from '../../format/numbers.ts'
import { FormProblem } from '../../forms/form.tsx'
import { includedIn } from '../../properties/related.ts'
import { type Appearance, appearanceOf, counted } from '../../resources.ts'
import type { Column } from '../records/columns.ts'
import { includedFields, type ListQuery, useListQuery } from '../records/list-query.ts'
import { pageQuery } from '../records/record-window.ts'
import { useTotal } from '../records/total.tsx'
import { type Cell, cellOf } from './cells.ts'

type ExportProgress = { format: FileFormat; done: number; total: number }

/** Writes the list on the screen into a file: its columns, its filter, its order. Closing it cancels. */
export function ExportDialog(props: { resource: ResourceName; columns: readonly Column[]; onClose(): void }) {
  const { resource, columns, onClose } = props
  const slug = useSlug()
  const queries = useQueryClient()
  const [run, setRun] = useState<ExportProgress>()
  const [problem, setProblem] = useState<string>()
  const ending = useRef<AbortController>(undefined)
  const definition = useResource(resource)
  const words = appearanceOf(definition)
  const shown = useListQuery(resource, columns)
  const query = { ...shown, fields: includedFields(definition, columns) }
  const total = useTotal({ resource, query })
  useEffect(() => () => ending.current?.abort(), [])

  const start = async (format: FileFormat) => {
    const abort = new AbortController()
    ending.current = abort
    setProblem(undefined)
    setRun({ format, done: 0, total: total ?? 0 })
    try {
      const first = { ...pageQuery(slug, resource, { query, page: 1 }), retry: false, staleTime: 60_000 }
      const { meta } = await queries.fetchQuery(first)
      const onProgress = (done: number) => setRun({ format, done, total: Math.max(done, meta.total) })
      const { signal } = abort
      const written = await downloadList({
        slug,
        resource: definition,
        query: shown,
        columns,
        format,
        signal,
        onProgress,
      })
      showToast({ message: `Exported ${counted(written, words)}.` })
      onClose()
    } catch (error) {
      if (abort.signal.aborted) return
      setRun(undefined)
      setProblem(messageOf(error))
    }
  }

  const names = columns.map(({ property }) => property.label).join(', ')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Export ${words.many}`}
      description={
        total === undefined
          ? 'The list as it is shown: its columns, filter and order.'
          : `${counted(total, words)}, with the columns, the filter and the order of the list.`
      }
    >
      <p className="text-sm text-quiet">
        <span className="text-faint">Columns: </span>
        {names}
      </p>
      {problem !== undefined && (
        <div className="mt-3">
          <FormProblem text={`The export has failed. ${problem}`} />
        </div>
      )}
      {run ? (
        <Running run={run} words={words} onCancel={onClose} />
      ) : (
        <DialogActions>
          <Button onClick={() => start('csv')}>
            <FileText aria-hidden />
            CSV
          </Button>
          <Button look="primary" onClick={() => start('xlsx')}>
            <FileSpreadsheet aria-hidden />
            Excel (XLSX)
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}

function Running(props: { run: ExportProgress; words: Appearance; onCancel(): void }) {
  const {
    run: { done, total },
    words,
    onCancel,
  } = props
  const share = total === 0 ? 0 : Math.round((done / total) * 100)
  return (
    <div className="mt-4">
      <div
        role="progressbar"
        aria-label="Exported"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        className="h-1.5 overflow-hidden rounded-full bg-sunk"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
      </div>
      <div className="mt-3 flex items-center justify-between gap-2">
        <span data-numeric className="text-sm text-quiet">
          {`${formatNumber(done)} of ${counted(total, words)}`}
        </span>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  )
}

type FileFormat = 'csv' | 'xlsx'

const types: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Writes a list into a file and gives it to the browser. Returns the number of its records. */
async function downloadList(list: ExportedList & { format: FileFormat }): Promise<number> {
  const { format, resource, columns } = list
  let count = 0
  const onProgress = (done: number) => {
    count = done
    list.onProgress(done)
  }
  let failure: unknown
  const rows = keepingFailure(listRows({ ...list, onProgress }), (error) => {
    failure = error
  })
  const { name } = appearanceOf(resource)
  const stream =
    format === 'csv'
      ? csvFile(
          columns.map(({ property }) => property.label),
          rows,
        )
      : // The library of spreadsheets is loaded with the first of them.
        (await import('./xlsx-file.ts')).xlsxFile(name, columns, rows)
  // The browser keeps the parts outside of the page's memory.
  const response = new Response(stream, { headers: { 'Content-Type': types[format] } })
  const file = await response.blob().catch((error) => Promise.reject(failure ?? error))
  list.signal.throwIfAborted()
  save(file, `${resource.type}-${new Date().toISOString().slice(0, 10)}.${format}`)
  return count
}

/** A stream that fails says no more than that to its reader. */
async function* keepingFailure<T>(rows: AsyncIterable<T>, keep: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* rows
  } catch (error) {
    keep(error)
    throw error
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Without it, Excel reads the file in an old encoding. */
const BYTE_ORDER_MARK = '\uFEFF'

const PART = 64 * 1024

/** A CSV file as a stream: the labels of the columns, then the rows. */
function csvFile(labels: readonly string[], rows: AsyncIterable<Cell[]>): ReadableStream<Uint8Array<ArrayBuffer>> {
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

/** A list to be read to its end. */
type ExportedList = {
  slug: string
  resource: Resource
  query: ListQuery
  columns: readonly Column[]
  signal: AbortSignal
  /** Called with the number of records so far. */
  onProgress(done: number): void
}

const PAGE = 100

/** A page of records with long texts must fit into one response. */
const PAGE_OF_LONG = 10

/** The rows of a list in its order, page by page, so that a file of any length is written while it is read. */
async function* listRows(list: ExportedList): AsyncGenerator<Cell[]> {
  // Pages by number can repeat a record that moved meanwhile.
  const seen = new Set<string>()
  for await (const page of pagesOf(list)) {
    const included = includedIn(page)
    for (const record of page.data) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      yield list.columns.map(({ property }) => cellOf(property, { record, included }))
    }
    list.onProgress(seen.size)
  }
}

type CursorPage = Omit<RecordPage, 'meta'> & { meta: { next_cursor?: string | null; last_page?: number } }

/** By cursor, which neither misses nor repeats a record. Only an order by a custom field needs pages by number. */
async function* pagesOf(list: ExportedList): AsyncGenerator<CursorPage> {
  const { resource, query, columns } = list
  const per_page = columns.some(isLong) ? PAGE_OF_LONG : PAGE
  const body = {
    per_page,
    ...query,
    fields: { ...includedFields(resource, columns), [resource.type]: ownFields(list) },
  }
  const native = attributesOf(resource, 'text', 'time')
  const keys = (query.sort ?? '').split(',').filter(Boolean)
  if (keys.every((key) => native.includes(key.replace(/^-/, '')))) {
    for (let cursor: string | null = 'true'; cursor !== null; ) {
      const page: CursorPage = await load(list, { ...body, cursor })
      yield page
      cursor = page.meta.next_cursor ?? null
    }
    return
  }
  for (let page = 1, last = 1; page <= last; page++) {
    const loaded = await load(list, { ...body, page })
    yield loaded
    last = loaded.meta.last_page ?? 1
  }
}

function isLong({ property }: Column): boolean {
  return property.kind === 'custom' && fieldTypes[property.field.type].multiline !== undefined
}

/** Only what the columns show. Related records come with `include`. */
function ownFields({ columns, resource }: ExportedList): string {
  const names = columns.flatMap(({ property }) => {
    if (property.kind === 'count') return [property.attribute]
    // Such as the tier of the parent company.
    if (property.kind === 'related' && property.to === resource.type) return [property.of.key]
    return ['reference', 'links', 'creator', 'related'].includes(property.kind) ? [] : [property.key]
  })
  return names.join(',')
}

const TRIES = 5

const PASSING = ['rate_limited', 'busy', 'unreachable']

/** A long export is not lost because the service is busy or the network is away for a moment. */
async function load({ slug, resource, signal }: ExportedList, body: object): Promise<CursorPage> {
  for (let tries = 1; ; tries++) {
    try {
      return await call<CursorPage>('POST', `/w/${slug}/v1/${resource.type}/query`, { body, signal })
    } catch (error) {
      const isPassing = error instanceof KithError && PASSING.includes(error.kind)
      if (!isPassing || tries === TRIES || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, (error.retry_after ?? tries) * 1000))
      signal.throwIfAborted()
    }
  }
}
