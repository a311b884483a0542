import { dataOfCells, dataOfLine, type RowData } from '@kith/contract/import/row-data'
import type { CellSettings, ImportFormat, ImportMode } from '@kith/contract/import/settings'
import type { ImportTarget } from '@kith/contract/import/target'
import type { Outcome } from '@kith/contract/jobs'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { RefusalReason } from '@kith/contract/refusal'
import { errorsByPath } from '@kith/contract/refusal-details'
import type { Resource } from '@kith/contract/resource'
import type { Operation } from '../../batch/operation.ts'
import { fullMessage } from '../../batch/run-batch.ts'
import { runOperations } from '../../batch/run-operations.ts'
import { linkKey, type RecordChange } from '../../records/changes.ts'
import { parseStored, presentValue } from '../../records/stored-values.ts'
import type { Scope } from '../../scope/scope.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'

/** The result of a row. */
export type DoneRow = { entry: RowEntry } & ({ failure: RowFailure } | { written: Written })

type Written = Exclude<RowOutcome, { refused: unknown }>

/** Writes rows in their order, in one transaction. */
export async function writeEntries(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<DoneRow[]> {
  const operations = entries.flatMap((entry) =>
    'operation' in entry ? [{ ...entry.operation, resource: job.resource }] : [],
  )
  const applied = await applyAll(inside, operations)
  let next = 0
  return entries.map((entry): DoneRow => {
    if ('failure' in entry) return { entry, failure: entry.failure }
    const outcome = applied[next++]
    if (!outcome) throw new Error('A row has no outcome.')
    return 'refused' in outcome ? { entry, failure: failureOf(outcome.refused) } : { entry, written: outcome }
  })
}

export function outcomeOf({ created, changing }: Written): Outcome {
  if (created) return 'created'
  return changing ? 'updated' : 'unchanged'
}

/** The message of a refusal, as in the response to a single request. Results have no place for ids of other records. */
export function failureOf(reason: RefusalReason): RowFailure {
  const errors = reason.kind === 'invalid' ? errorsByPath(reason.issues) : null
  return { message: fullMessage(reason), errors }
}

const EXTERNAL = 'external_ids.'

/** The outcome of an operation of a job. `changing` contains the changes of an existing record. */
export type RowOutcome =
  | { refused: RefusalReason }
  | { id: string; updated_at: string | null; created: boolean; changing?: RecordChange | undefined }

/** Runs the operations of a step in its transaction. */
export async function applyAll(inside: Scope, operations: readonly Operation[]): Promise<RowOutcome[]> {
  const outcomes = await runOperations(inside, operations)
  return outcomes.map((outcome) => {
    if ('refused' in outcome) return outcome
    if ('removed' in outcome) return { id: outcome.removed, updated_at: null, created: false }
    const { row, created, changing } = outcome
    return { id: row.id, updated_at: row.updated_at, created, changing }
  })
}

/** The changed parts of a record as they were before the row: parts of a body, and the added and removed links. */
export type Before = {
  data: Record<string, unknown> & { custom_fields?: Record<string, unknown>; external_ids?: Record<string, unknown> }
  links: { key: string; added: readonly string[]; removed: readonly string[] }[]
  /** When the record was last changed before this row. */
  updated_at: string
}

export function beforeOf(resource: Resource, { current, changes }: RecordChange): Before {
  const shown: Readonly<Record<string, unknown>> = current
  const data: Before['data'] = {}
  if (changes.label !== undefined) data[resource.label] = current[resource.label]
  for (const key of changes.references.keys()) data[key] = shown[key] ?? null
  const stored = parseStored(current.custom_fields)
  const values = [...changes.values.keys()].map((field) => [field.code, presentValue(stored[field.key], field)])
  if (values.length > 0) data.custom_fields = Object.fromEntries(values)
  if (changes.external_ids) {
    const { before, after } = changes.external_ids
    const namespaces = Object.keys({ ...after, ...before })
    data.external_ids = Object.fromEntries(namespaces.map((name) => [name, before[name] ?? null]))
  }
  const links = changes.links.map(({ relation, added, removed }) => ({
    key: linkKey(resource, relation),
    added,
    removed,
  }))
  return { data, links, updated_at: current.updated_at }
}

/** The changed parts of a record as they were before the first of several rows. */
export function beforeAll(befores: readonly Before[]): Omit<Before, 'updated_at'> {
  const data: Before['data'] = {}
  // The earliest row comes last, so it wins.
  for (const { data: earlier } of befores.toReversed()) {
    const custom_fields = { ...data.custom_fields, ...earlier.custom_fields }
    const external_ids = { ...data.external_ids, ...earlier.external_ids }
    Object.assign(data, earlier, { custom_fields, external_ids })
  }
  return { data, links: befores.toReversed().flatMap(({ links }) => links) }
}

/** The ids of a list before changes, which are given in reverse order. */
export function linksBefore(ids: readonly string[], changes: readonly Before['links'][number][]): string[] {
  return changes.reduce<string[]>(
    (list, { added, removed }) => [...list.filter((id) => !added.includes(id)), ...removed],
    [...ids],
  )
}

/** The operation of a row of an import. */
type RowOperation = {
  op: ImportMode
  id?: string | undefined
  /** The value by which an update or upsert finds its record. */
  match?: { field: string; value: unknown } | undefined
  data: Record<string, unknown>
}

export type RowFailure = { message: string; errors: Record<string, string[]> | null }

/** A row with its operation, or the reason why it cannot be read. `source` is the original row. */
export type RowEntry = { row: number; source: string[] } & ({ operation: RowOperation } | { failure: RowFailure })

export type RowReader = {
  resource: Resource
  format: ImportFormat
  mode: ImportMode
  match: string | null
  targets: readonly (ImportTarget | null)[]
  settings: CellSettings
}

/** Parses one row. `source` has the cells of CSV, or the line of NDJSON. */
export function entryOf(row: number, source: string[], reader: RowReader): RowEntry {
  const read = reader.format === 'csv' ? cellsOf(source, reader) : lineOf(source[0] ?? '', reader)
  if ('message' in read) return { row, source, failure: read }
  const operation = operationOf(read, reader)
  return 'message' in operation ? { row, source, failure: operation } : { row, source, operation }
}

function cellsOf(cells: string[], { targets, settings }: RowReader): RowData | RowFailure {
  const surplus = cells.slice(targets.length).findIndex((cell) => cell.trim() !== '')
  if (surplus !== -1) {
    const message = `The row has ${cells.length} cells, but the header has ${targets.length} columns.`
    return { message, errors: { row: [message] } }
  }
  return dataOfCells(cells, targets, settings)
}

function lineOf(line: string, { resource, match }: RowReader): RowData | RowFailure {
  const json = parseJson(line)
  if (!isObject(json)) {
    const message = 'The line must be a JSON object.'
    return { message, errors: { row: [message] } }
  }
  if (isObject(json.attributes) && json.type !== undefined && json.type !== resource.type) {
    const message = `The type must be ${resource.type}, the resource of the import.`
    return { message, errors: { type: [message] } }
  }
  return dataOfLine(json, resource, match)
}

function operationOf({ id, data }: RowData, { mode, match }: RowReader): RowOperation | RowFailure {
  if (mode === 'create' || match === null) return { op: 'create', data }
  if (match === 'id') {
    if (typeof id === 'string' && id.trim() !== '') return { op: 'update', id: id.trim(), data }
    // A row without an id is a new record.
    return mode === 'upsert' ? { op: 'create', data } : missing('id')
  }
  const value = matchValue(data, match)
  if (value === undefined || value === null || value === '') return missing(match)
  return { op: mode, match: { field: match, value }, data }
}

function missing(match: string): RowFailure {
  const message = `The ${match} is required: by it the import finds the record.`
  return { message, errors: { [match]: [message] } }
}

/** The value of the match field in a body; the first one of several. */
function matchValue({ external_ids, custom_fields }: Record<string, unknown>, match: string): unknown {
  const isExternal = match.startsWith(EXTERNAL)
  const holder = isExternal ? external_ids : custom_fields
  const key = isExternal ? match.slice(EXTERNAL.length) : match
  const value = isObject(holder) ? holder[key] : undefined
  return Array.isArray(value) ? value[0] : value
}
