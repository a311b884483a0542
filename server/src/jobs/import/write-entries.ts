import { dataOfCells, dataOfLine, type RowData } from '@kith/contract/import/row-data'
import type { CellSettings, ImportFormat, ImportMode } from '@kith/contract/import/settings'
import type { ImportTarget } from '@kith/contract/import/target'
import type { Outcome } from '@kith/contract/jobs'
import { addedItems } from '@kith/contract/list-edit'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { ByName } from '@kith/contract/reference-input'
import type { RefusalReason } from '@kith/contract/refusal'
import { errorsByPath } from '@kith/contract/refusal-details'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { fullMessage } from '../../batch/run-batch.ts'
import { runOperations } from '../../batch/run-operations.ts'
import type { Written } from '../../records/write-set.ts'
import type { Scope } from '../../scope/scope.ts'

export type DoneRow = { entry: RowEntry } & ({ failure: RowFailure } | { written: Written })

/** Writes rows in their order, in one transaction. */
export async function writeEntries(
  inside: Scope,
  of: { resource: ResourceName; byName: ByName },
  entries: readonly RowEntry[],
): Promise<DoneRow[]> {
  const operations = entries.flatMap((entry) => ('operation' in entry ? [{ ...entry.operation, ...of }] : []))
  const outcomes = await runOperations(inside, operations)
  let next = 0
  return entries.map((entry): DoneRow => {
    if ('failure' in entry) return { entry, failure: entry.failure }
    const outcome = outcomes[next++]
    if (!outcome || 'removed' in outcome) throw new Error('A row has no outcome.')
    return 'refused' in outcome ? { entry, failure: failureOf(outcome.refused) } : { entry, written: outcome }
  })
}

export function outcomeOf({ created, change_id }: Written): Outcome {
  if (created) return 'created'
  return change_id === undefined ? 'unchanged' : 'updated'
}

/** The message of a refusal, as in the response to a single request. Results have no place for ids of other records. */
export function failureOf(reason: RefusalReason): RowFailure {
  const errors = reason.kind === 'invalid' ? errorsByPath(reason.issues) : null
  return { message: fullMessage(reason), errors }
}

const EXTERNAL = 'external_ids.'

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

/** The value of the match field in a body; the first one of several, also of those that are added. */
function matchValue({ external_ids, custom_fields }: Record<string, unknown>, match: string): unknown {
  const isExternal = match.startsWith(EXTERNAL)
  const holder = isExternal ? external_ids : custom_fields
  const key = isExternal ? match.slice(EXTERNAL.length) : match
  return isObject(holder) ? addedItems(holder[key])[0] : undefined
}
