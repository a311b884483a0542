/**
 * Keeps a CSV file and the companies of a Kith workspace equal, in both directions: some people edit the file in a
 * spreadsheet, others the records in Kith.
 *
 *   KITH_URL=http://localhost:3000 KITH_TOKEN=kith_… node sync.ts companies.csv
 *
 * The header says which attributes the file has: `id`, `name` and codes of custom fields. Several values of a field are
 * joined by semicolons. A row without an id is a new company, and a row that was removed deletes one. A file that does
 * not exist is made with the columns `id,name,domains`.
 *
 * One run takes what has changed in Kith, and sends what has changed in the file. Where both have changed, Kith's version
 * is taken, and the row of the file is added to `companies.csv.conflicts`. `companies.csv.state` has what both sides had
 * after the last run. A run that was stopped can be repeated: it writes nothing twice.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type BatchResult, type Client, createClient, type Operation, type ResourceSchema } from '@kith/sdk'

/** The cells of a row by column. */
type Row = Readonly<Record<string, string>>
/** What both sides had after the last run. */
type Known = { updated_at: string; row: Row }
type State = { cursor?: string; rows: Record<string, Known> }
type Table = { columns: readonly string[]; fields: ResourceSchema['custom_fields'] }
type AnyOperation = Operation<{ companies: Record<string, unknown> }, 'companies'>
type Shown = { id: string; attributes: { name: string; updated_at: string; custom_fields: object } }

const JOINT = '; '

/** Returns a line for each row that Kith has refused. */
export async function sync(kith: Client, file: string): Promise<string[]> {
  const [columns = [], ...lines] = parseCsv(existsSync(file) ? readFileSync(file, 'utf8') : 'id,name,domains\n')
  const { custom_fields: fields } = (await kith.schema.read('companies')).data.attributes
  const unknown = columns.filter((column) => !['id', 'name'].includes(column) && fields[column] === undefined)
  if (unknown.length > 0) throw new Error(`Companies have no field ${unknown.join(', ')}: see the header of ${file}.`)
  if (!columns.includes('id') || !columns.includes('name')) throw new Error(`${file} needs the columns id and name.`)
  const rows = lines.map((cells): Row => Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])))
  const state: State = existsSync(`${file}.state`) ? JSON.parse(readFileSync(`${file}.state`, 'utf8')) : { rows: {} }
  const run: Run = { kith, rows, state, before: structuredClone(state), table: { columns, fields } }

  const conflicts = await pull(run)
  const refused = await push(run, conflicts)
  const inFile = new Set(rows.map((row) => run.made?.get(row) ?? row.id))
  const old = rows.flatMap((row) => {
    if (refused.has(row)) return [row]
    return state.rows[run.made?.get(row) ?? row.id ?? '']?.row ?? []
  })
  const added = Object.entries(state.rows).flatMap(([id, { row }]) => (inFile.has(id) ? [] : [row]))
  const header = Object.fromEntries(columns.map((column) => [column, column]))
  if (conflicts.size > 0) appendFileSync(`${file}.conflicts`, csvOf([...conflicts], columns))
  replace(file, csvOf([header, ...old, ...added], columns))
  replace(`${file}.state`, JSON.stringify(state))
  return [...refused].flatMap(([row, message]) => (message === '' ? [] : [`${row.name}: ${message}`]))
}

type Run = {
  kith: Client
  rows: readonly Row[]
  state: State
  /** The state of the last run. */
  before: State
  table: Table
  /** The ids of rows that had none. */
  made?: ReadonlyMap<Row, string>
}

/** Takes what has changed in Kith, and returns the rows of the file that were changed as well. */
async function pull({ kith, rows, state, before, table }: Run): Promise<Set<Row>> {
  const local = new Map(rows.map((row) => [row.id, row]))
  const conflicts = new Set<Row>()
  const take = (id: string, known?: Known) => {
    const last = before.rows[id]
    // What this script has sent comes back, too.
    if (known && known.updated_at === last?.updated_at) return
    const row = local.get(id)
    if (row && !isSame(row, last?.row) && !isSame(row, known?.row)) conflicts.add(row)
    if (known) state.rows[id] = known
    else delete state.rows[id]
  }
  await kith.mirror({
    resources: ['companies'],
    cursor: state.cursor,
    once: true,
    held: () => Object.keys(state.rows).map((id) => ({ type: 'companies', id })),
    put: (record) => (record.type === 'companies' ? take(record.id, knownOf(record, table)) : undefined),
    remove: ({ id }) => take(id),
    save(cursor) {
      state.cursor = cursor
    },
  })
  return conflicts
}

/**
 * Sends what has changed in the file since the last run, unless Kith has changed it meanwhile. Returns the rows that
 * stay as they are in the file: those that were refused, with the reason, and those that the next run reads first.
 */
async function push(run: Run, conflicts: ReadonlySet<Row>): Promise<Map<Row, string>> {
  const { kith, rows, state, before, table } = run
  const refused = new Map<Row, string>()
  const settle = (row: Row, result: BatchResult | undefined) => {
    const { status = 0, data, message = '' } = result ?? {}
    if (status < 300 && data) state.rows[data.id] = knownOf(data, table)
    else refused.set(row, status === 412 || status === 404 ? '' : message)
  }

  const made = rows.filter(({ id }) => !id)
  const creates = made.map((row): AnyOperation => ({ op: 'create', data: { name: '', ...inputOf(row, {}, table) } }))
  // The same rows after the same run have the same key, so that a repeated run finds what it has made.
  const idempotencyKey = createHash('sha256')
    .update(JSON.stringify([before.cursor, creates]))
    .digest('hex')
  const created = await send(kith, creates, { idempotencyKey })
  run.made = new Map(made.flatMap((row, at) => (created[at]?.id ? [[row, created[at].id]] : [])))
  for (const [at, row] of made.entries()) settle(row, created[at])

  const changed = rows.filter((row) => {
    const [last, known] = [before.rows[row.id ?? ''], state.rows[row.id ?? '']]
    return known && !conflicts.has(row) && !isSame(row, last?.row) && !isSame(row, known.row)
  })
  const updates = changed.map((row): AnyOperation => {
    const { updated_at = '', row: old = {} } = state.rows[row.id ?? ''] ?? {}
    return { op: 'update', id: row.id ?? '', if_match: updated_at, data: inputOf(row, old, table) }
  })
  const updated = await send(kith, updates)
  for (const [at, row] of changed.entries()) settle(row, updated[at])

  const inFile = new Set(rows.map(({ id }) => id))
  const removed = Object.entries(before.rows).filter(
    ([id, { updated_at }]) => !inFile.has(id) && state.rows[id]?.updated_at === updated_at,
  )
  const deletes = removed.map(([id, { updated_at }]): AnyOperation => ({ op: 'delete', id, if_match: updated_at }))
  const deleted = await send(kith, deletes)
  for (const [at, [id]] of removed.entries()) if (deleted[at]?.status === 204) delete state.rows[id]
  return refused
}

async function send(kith: Client, operations: AnyOperation[], more = {}): Promise<readonly BatchResult[]> {
  if (operations.length === 0) return []
  return (await kith.companies.batch(operations, { ...more, return: 'record' })).data
}

function knownOf(record: object, { columns }: Table): Known {
  // The records of this script are companies.
  const { id, attributes } = record as Shown
  const values: Record<string, unknown> = { ...attributes.custom_fields, id, name: attributes.name }
  const row = Object.fromEntries(columns.map((column) => [column, cellOf(values[column])]))
  return { updated_at: attributes.updated_at, row }
}

/** Options by their labels, references by their ids. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(cellOf).join(JOINT)
  if (typeof value !== 'object') return String(value)
  return 'label' in value ? String(value.label) : 'id' in value ? String(value.id) : ''
}

/** What differs between two rows, as Kith takes it. */
function inputOf(row: Row, old: Row, { columns, fields }: Table): { name?: string; custom_fields?: object } {
  const changed = columns.filter((column) => column !== 'id' && (row[column] ?? '') !== (old[column] ?? ''))
  const custom = changed.filter((column) => column !== 'name')
  const custom_fields = Object.fromEntries(
    custom.map((column) => [column, valueFor(row[column] ?? '', fields[column])]),
  )
  return { ...(changed.includes('name') && { name: row.name ?? '' }), ...(custom.length > 0 && { custom_fields }) }
}

const LISTS = ['checkbox-list', 'multi-select', 'tags-input', 'email', 'phone', 'link', 'domain']

function valueFor(cell: string, field: Table['fields'][string] | undefined): unknown {
  if (cell.trim() === '') return null
  const { type = '', multiple = false } = field ?? {}
  if (type === 'checkbox' || type === 'toggle') return cell === 'true' ? true : cell === 'false' ? false : cell
  const isList = LISTS.includes(type) || ((type === 'record' || type === 'member') && multiple)
  return isList ? cell.split(JOINT.trim()).map((item) => item.trim()) : cell
}

function isSame(row: Row, other: Row | undefined): boolean {
  return other !== undefined && Object.entries(row).every(([column, cell]) => cell === (other[column] ?? ''))
}

function csvOf(rows: readonly Row[], columns: readonly string[]): string {
  const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return rows.map((row) => `${columns.map((column) => quoted(row[column] ?? '')).join(',')}\r\n`).join('')
}

/** Cells that are quoted may have commas and line ends. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end = ''] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end !== ',') rows.push([])
  }
  return rows.filter((cells) => cells.some((cell) => cell !== ''))
}

/** A file is whole at any time. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

if (import.meta.main) {
  process.on('uncaughtException', ({ message }) => {
    console.error(message)
    process.exit(1)
  })
  const { KITH_URL = 'http://localhost:3000', KITH_TOKEN } = process.env
  const [file] = process.argv.slice(2)
  if (!KITH_TOKEN) throw new Error('KITH_TOKEN is missing: an access token of the workspace.')
  if (!file) throw new Error('The file is missing: node sync.ts companies.csv')
  const told = await sync(createClient({ url: KITH_URL, token: KITH_TOKEN }), file)
  for (const line of told) console.error(line)
  process.exitCode = told.length === 0 ? 0 : 1
}
