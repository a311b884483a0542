import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes, isList } from '@kith/contract/field-types'
import { parseId } from '@kith/contract/id'
import { BATCH_CHUNK, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isListEdit } from '@kith/contract/list-edit'
import { isObject } from '@kith/contract/raw-input'
import { Refusal, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { hashOf, type KeyedRequest, once } from '../../records/once.ts'
import { goneIn, idsIn as heldIn, parseStored } from '../../records/stored-values.ts'
import { writing } from '../../records/write-targets.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { type Fields, readInput, requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import type { Operation, Outcome } from '../operation.ts'
import { asBatch, inChunkTurn } from '../run-batch.ts'
import { runOperations } from '../run-operations.ts'
import { stillMatching } from './matching-ids.ts'

/** The result for one record. `change` is what undoes it. */
type BulkResult = { id: string } & (
  | { outcome: 'changed'; change: string }
  /** The record already had the value. */
  | { outcome: 'same' }
  /** The record is deleted, or no longer matches the filter. */
  | { outcome: 'skipped' }
  | { outcome: 'failed'; message: string }
)

/** Changes one attribute of up to 100 records, in one transaction. A refused record does not stop the others. */
export function editRecords(scope: Scope, { type }: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update'])
  const { edit, ...request } = parseBulk(body, parseEdit)
  return runChunk(scope, { name: 'edit', body, key: request.key }, async (inside) => {
    const resource = requireResource(inside.schema, type)
    const data = dataOf(resource, edit, request.ids.length)
    const operationOn = (row: StoredRecord): Operation => {
      return { op: 'update', resource: type, data: keepingHidden(resource, row, data) }
    }
    return runOnRows(inside, resource, { request, operationOn })
  })
}

/** Deletes up to 100 records, in one transaction. */
export function deleteRecords(scope: Scope, { type }: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['delete'])
  const request = parseBulk(body, () => ({}))
  return runChunk(scope, { name: 'delete', body, key: request.key }, async (inside) =>
    runOnRows(inside, requireResource(inside.schema, type), {
      request,
      operationOn: () => ({ op: 'delete', resource: type }),
    }),
  )
}

/** A repeated request with the same key returns the first result, so that the changes to undo are not lost. */
function runChunk(
  scope: Scope,
  { name, body, key }: { name: string; body: unknown; key: string },
  work: (inside: Scope) => Promise<BulkResult[]>,
): Promise<BulkResult[]> {
  const request: KeyedRequest<BulkResult[]> = {
    key,
    parts: { method: 'POST', path: `/bulk/${name}` },
    body_hash: () => hashOf(body),
    store: (results) => ({ status: 200, headers: '{}', body: JSON.stringify(results) }),
    replay: ({ body }) => JSON.parse(body ?? '[]'),
  }
  const bulk = asBatch(scope, key)
  return inChunkTurn(bulk, () => once(bulk, request, (inside) => writing(inside, work)))
}

/** Runs the same operation on the records that still match. The others are skipped. */
async function runOnRows(
  inside: Scope,
  resource: Resource,
  { request, operationOn }: { request: BulkRequest; operationOn(row: StoredRecord): Operation },
): Promise<BulkResult[]> {
  const ids = await stillMatching(inside, resource, request)
  const rows: readonly StoredRecord[] = ids.length === 0 ? [] : await loadStored(inside, resource, ids)
  const operations = rows.map((row): Operation => ({ ...operationOn(row), id: row.id, if_match: row.updated_at }))
  const outcomes = await runOperations(inside, operations)
  // Another write has changed one of them meanwhile: it may not match any more.
  if (outcomes.some(isChangedOrGone)) throw new Conflict()
  const results = new Map(rows.map(({ id }, index) => [id, resultOf(id, outcomes[index])]))
  return request.ids.map((id) => results.get(id) ?? { id, outcome: 'skipped' })
}

function isChangedOrGone(outcome: Outcome): boolean {
  if (!('refused' in outcome)) return false
  return outcome.refused.kind === 'precondition_failed' || outcome.refused.kind === 'not_found'
}

function resultOf(id: string, outcome: Outcome | undefined): BulkResult {
  if (!outcome) throw new Error('An operation has no outcome.')
  if ('refused' in outcome) return { id, outcome: 'failed', message: messageOf(outcome) }
  const { change_id } = outcome
  return change_id === undefined ? { id, outcome: 'same' } : { id, outcome: 'changed', change: change_id }
}

function messageOf({ refused }: Extract<Outcome, { refused: unknown }>): string {
  return refused.kind === 'invalid'
    ? refused.issues.map(({ message }) => message).join(' ')
    : new Refusal(refused).message
}

/** The records of a request, and the key under which its result is stored. */
type BulkRequest = { ids: readonly string[]; filter: unknown; key: string }

function parseBulk<T>(body: unknown, more: (fields: Fields) => T): BulkRequest & T {
  return readInput(body, (fields) => ({
    ids: idsIn(fields),
    filter: fields.raw('filter'),
    key: fields.text('key', IDEMPOTENCY_KEY_MAX),
    ...more(fields),
  }))
}

function idsIn({ raw, report }: Fields): string[] {
  const sent = raw('ids')
  const ids = Array.isArray(sent) ? sent.map(parseId) : []
  const known = ids.filter((id) => id !== undefined)
  if (known.length === 0 || known.length < ids.length || ids.length > BATCH_CHUNK) {
    report('ids', `The ids must be a list of 1 to ${BATCH_CHUNK} IDs of records.`)
  }
  return [...new Set(known)]
}

const editOps = ['set', 'clear', 'add', 'remove'] as const

/** A change of one attribute: a native one, or `custom_fields.` and the code of a field. */
type Edit = { attribute: string; op: (typeof editOps)[number]; value: unknown }

function parseEdit({ text, raw, report }: Fields): { edit: Edit } {
  const op = editOps.find((one) => one === raw('op'))
  if (op === undefined) report('op', `The op must be one of: ${editOps.join(', ')}.`)
  return { edit: { attribute: text('attribute'), op: op ?? 'set', value: raw('value') ?? null } }
}

const CUSTOM = 'custom_fields.'

/** The body of an update that makes the edit. */
function dataOf(resource: Resource, edit: Edit, records: number): Record<string, unknown> {
  const { attribute } = edit
  const field = fieldOf(resource, attribute)
  const value = writtenValue(resource, edit, { field, records })
  return field ? { custom_fields: { [field.code]: value } } : { [attribute]: value }
}

/**
 * The same body for a record whose list of references has deleted records, which nobody sees. The body sets or clears
 * the rest of the list; the deleted records stay in it, and are shown again after a restore.
 */
function keepingHidden(resource: Resource, row: StoredRecord, data: Record<string, unknown>): Record<string, unknown> {
  const gone = goneIn(row)
  const [[code, value] = ['', undefined]] = Object.entries(data.custom_fields ?? {})
  const field = resource.fields.byCode.get(code)
  if (!gone || !field?.multiple || fieldTypes[field.type].refersTo !== 'records' || isListEdit(value)) return data
  const set = [value ?? []].flat()
  const ids = set.map((one) => (isObject(one) ? one.id : one))
  const shown = heldIn(parseStored(row.custom_fields)[field.key]).filter((id) => !gone.has(id))
  return { custom_fields: { [code]: { $remove: shown.filter((id) => !ids.includes(id)), $add: set } } }
}

function fieldOf(resource: Resource, attribute: string): FieldDefinition | undefined {
  const { byCode } = resource.fields
  const field = attribute.startsWith(CUSTOM) ? byCode.get(attribute.slice(CUSTOM.length)) : undefined
  const native = [resource.label, ...Object.keys(resource.references), ...Object.keys(resource.links)]
  if (field || native.includes(attribute)) return field
  const known = [...native, ...[...byCode.keys()].map((code) => `${CUSTOM}${code}`)]
  return refuseValue('attribute', `The attribute must be one of: ${known.join(', ')}.`)
}

/** The value in a write. Refuses an edit that the attribute does not support. */
function writtenValue(
  resource: Resource,
  { attribute, op, value }: Edit,
  { field, records }: { field: FieldDefinition | undefined; records: number },
): unknown {
  const hasItems = field ? isList(field) : Object.hasOwn(resource.links, attribute)
  if ((op === 'set' || op === 'add') && field?.unique && records > 1) {
    refuseValue('op', `No two records can have the same ${field.name}. Change it record by record.`)
  }
  if (op === 'clear') return null
  if (value === null) refuseValue('value', `The value is required to ${op}.`)
  if (op === 'set') return value
  if (!hasItems) refuseValue('op', `Only lists take ${op}. Use set or clear.`)
  return { [`$${op}`]: Array.isArray(value) ? value : [value] }
}
