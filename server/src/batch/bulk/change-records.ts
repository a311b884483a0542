import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes, isList } from '@kith/contract/field-types'
import { parseId } from '@kith/contract/id'
import { BATCH_CHUNK, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, Refusal, refuseValue } from '@kith/contract/refusal'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { keysOf } from '../../records/check-input.ts'
import { hashOf, type KeyedRequest, once } from '../../records/once.ts'
import { parseStored, presentValue } from '../../records/stored-values.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import { writing } from '../../records/write-targets.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { type Fields, readInput, requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { findExisting, loadLinked } from '../../storage/tables/links.ts'
import { findRecord, loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import type { Operation, Outcome } from '../operation.ts'
import { inChunkTurn } from '../run-batch.ts'
import { runOperations } from '../run-operations.ts'
import { stillMatching } from './matching-ids.ts'

/** The result for one record. `before` is the earlier value in the form of an update, for undo. */
type BulkResult = { id: string } & (
  | { outcome: 'changed'; updated_at: string; before: unknown }
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
    const target = targetOf(resource, edit.attribute)
    const change = changeOf(target, edit, request.ids.length)
    const rows = await rowsOf(inside, resource, request)
    const values = await valuesOf(inside, target, rows)
    const operations = rows.map(
      (row): Operation => ({
        op: 'update',
        resource: type,
        id: row.id,
        if_match: row.updated_at,
        data: dataOf(target, change(values.get(row.id))),
      }),
    )
    const outcomes = await runUnchanged(inside, operations)
    return resultsOf(request.ids, rows, (row, index) => resultOf(row, outcomes[index], values.get(row.id)))
  })
}

/** Deletes up to 100 records, in one transaction. */
export function deleteRecords(scope: Scope, { type }: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['delete'])
  const request = parseBulk(body, () => ({}))
  return runChunk(scope, { name: 'delete', body, key: request.key }, async (inside) => {
    const rows = await rowsOf(inside, requireResource(inside.schema, type), request)
    const operations = rows.map(
      ({ id, updated_at }): Operation => ({ op: 'delete', resource: type, id, if_match: updated_at }),
    )
    const outcomes = await runUnchanged(inside, operations)
    return resultsOf(request.ids, rows, (row, index) => resultOf(row, outcomes[index], null))
  })
}

/** Gives records the values that they had before an edit. Records that were changed since then stay as they are. */
export function undoEdit(scope: Scope, { type }: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update'])
  const { records, attribute, key } = parseUndo(body, ({ text }) => ({ attribute: text('attribute') }))
  return runChunk(scope, { name: 'undo', body, key }, async (inside) => {
    const resource = requireResource(inside.schema, type)
    const target = targetOf(resource, attribute)
    const operations = records.map(
      ({ id, updated_at, before }): Operation => ({
        op: 'update',
        resource: type,
        id,
        if_match: updated_at,
        data: dataOf(target, before),
      }),
    )
    const outcomes = await runOperations(inside, operations)
    return records.map((record, index) => {
      const outcome = outcomes[index]
      return isChangedOrGone(outcome) ? { id: record.id, outcome: 'skipped' } : resultOf(record, outcome, null)
    })
  })
}

/** A repeated request with the same key returns the first result, so that the values for undo are not lost. */
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
  return inChunkTurn(scope, () => once(scope, request, (inside) => writing(inside, work)))
}

async function rowsOf(inside: Scope, resource: Resource, request: BulkRequest): Promise<StoredRecord[]> {
  const ids = await stillMatching(inside, resource, request)
  return ids.length === 0 ? [] : loadStored(inside, resource, ids)
}

/** Runs operations on records as they were read. Restarts the transaction if another write has changed one of them. */
async function runUnchanged(inside: Scope, operations: readonly Operation[]): Promise<Outcome[]> {
  const outcomes = await runOperations(inside, operations)
  if (outcomes.some(isChangedOrGone)) throw new Conflict()
  return outcomes
}

function isChangedOrGone(outcome: Outcome | undefined): boolean {
  if (!outcome || !('refused' in outcome)) return false
  return outcome.refused.kind === 'precondition_failed' || outcome.refused.kind === 'not_found'
}

function resultOf(
  { id, updated_at }: { id: string; updated_at: string },
  outcome: Outcome | undefined,
  before: unknown,
): BulkResult {
  if (!outcome) throw new Error('An operation has no outcome.')
  if ('refused' in outcome) return { id, outcome: 'failed', message: messageOf(outcome) }
  // Deleting a record does not change its `updated_at`.
  if ('removed' in outcome) return { id, outcome: 'changed', updated_at, before }
  if (outcome.change_id === undefined) return { id, outcome: 'same' }
  return { id, outcome: 'changed', updated_at: outcome.row.updated_at, before }
}

function messageOf({ refused }: Extract<Outcome, { refused: unknown }>): string {
  return refused.kind === 'invalid'
    ? refused.issues.map(({ message }) => message).join(' ')
    : new Refusal(refused).message
}

/** In the order of the request. Records that were not found are skipped. */
function resultsOf(
  ids: readonly string[],
  rows: readonly StoredRecord[],
  show: (row: StoredRecord, index: number) => BulkResult,
): BulkResult[] {
  const shown = new Map(rows.map((row, index) => [row.id, show(row, index)]))
  return ids.map((id) => shown.get(id) ?? { id, outcome: 'skipped' })
}

/**
 * Restores up to 100 deleted records, each in its own transaction: a restore may undo a merge, or return references of
 * other records. A record that was restored and deleted again since then stays deleted.
 */
export async function restoreRecords(scope: Scope, resource: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update', 'delete'])
  const { records } = parseUndo(body, () => ({}))
  const results: BulkResult[] = []
  for (const record of records) results.push(await restoreOne(scope, resource, record))
  return results
}

async function restoreOne(scope: Scope, resource: Resource, { id, updated_at }: Earlier): Promise<BulkResult> {
  try {
    const { data } = await restoreRecord(scope, resource, { id, expected: [updated_at] })
    return { id, outcome: 'changed', updated_at: String(data()[0]?.attributes.updated_at), before: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // A repeated request finds records that it has already restored.
    if (await findRecord(scope, resource, id)) return { id, outcome: 'same' }
    if (error.reason.kind === 'precondition_failed') return { id, outcome: 'skipped' }
    return { id, outcome: 'failed', message: error.message }
  }
}

/** A record, the time of its last change, and an earlier value. */
type Earlier = { id: string; updated_at: string; before: unknown }

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

function parseUndo<T>(body: unknown, more: (fields: Fields) => T): { records: Earlier[]; key: string } & T {
  return readInput(body, (fields) => ({
    records: earlierIn(fields),
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

function earlierIn({ raw, report }: Fields): Earlier[] {
  const sent = raw('records')
  const items = Array.isArray(sent) ? sent : []
  const records = items.flatMap((item): Earlier[] => {
    const id = isObject(item) ? parseId(item.id) : undefined
    if (!isObject(item) || id === undefined || typeof item.updated_at !== 'string') return []
    return [{ id, updated_at: item.updated_at, before: item.before ?? null }]
  })
  if (records.length === 0 || records.length < items.length || records.length > BATCH_CHUNK) {
    report('records', `The records must be a list of 1 to ${BATCH_CHUNK} objects with id and updated_at.`)
  }
  return records
}

const editOps = ['set', 'clear', 'add', 'remove'] as const

/** A change of one attribute: a native one, or `custom_fields.` and the code of a field. */
type Edit = { attribute: string; op: (typeof editOps)[number]; value: unknown }

function parseEdit({ text, raw, report }: Fields): { edit: Edit } {
  const op = editOps.find((one) => one === raw('op'))
  if (op === undefined) report('op', `The op must be one of: ${editOps.join(', ')}.`)
  return { edit: { attribute: text('attribute'), op: op ?? 'set', value: raw('value') ?? null } }
}

/** The attribute or field that an edit changes. */
type Target =
  | { kind: 'label'; name: string }
  | { kind: 'reference'; name: string }
  | { kind: 'links'; name: string; to: RelatedType; relation: string }
  | { kind: 'field'; field: FieldDefinition }

const CUSTOM = 'custom_fields.'

function targetOf(resource: Resource, attribute: string): Target {
  const { byCode } = resource.fields
  const field = attribute.startsWith(CUSTOM) ? byCode.get(attribute.slice(CUSTOM.length)) : undefined
  if (field) return { kind: 'field', field }
  if (attribute === resource.label) return { kind: 'label', name: attribute }
  if (Object.hasOwn(resource.references, attribute)) return { kind: 'reference', name: attribute }
  const list = Object.hasOwn(resource.links, attribute) ? resource.links[attribute] : undefined
  if (list) return { kind: 'links', name: attribute, ...list }
  const known = [
    resource.label,
    ...Object.keys(resource.references),
    ...Object.keys(resource.links),
    ...[...byCode.keys()].map((code) => `${CUSTOM}${code}`),
  ]
  refuseValue('attribute', `The attribute must be one of: ${known.join(', ')}.`)
}

/** The body of an update that sets the value. */
function dataOf(target: Target, value: unknown): Record<string, unknown> {
  return target.kind === 'field' ? { custom_fields: { [target.field.code]: value } } : { [target.name]: value }
}

/** The values of records in the form of an update: ids, and options by their ids. */
async function valuesOf(inside: Scope, target: Target, rows: readonly StoredRecord[]): Promise<Map<string, unknown>> {
  if (target.kind === 'links') return linkedBy(inside, target, rows)
  return new Map(rows.map((row) => [row.id, ownValue(row, target)]))
}

function ownValue(row: StoredRecord, target: Exclude<Target, { kind: 'links' }>): unknown {
  const own: Readonly<Record<string, unknown>> = row
  if (target.kind !== 'field') return own[target.name] ?? null
  const { field } = target
  const shown = presentValue(parseStored(row.custom_fields)[field.key], field)
  return Array.isArray(shown) ? shown.map(idOrSelf) : idOrSelf(shown)
}

function idOrSelf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : item
}

async function linkedBy(
  inside: Scope,
  { relation, to }: Extract<Target, { kind: 'links' }>,
  rows: readonly StoredRecord[],
): Promise<Map<string, string[]>> {
  const ids = rows.map(({ id }) => id)
  const links = await loadLinked(inside, ids, [relation])
  const existing = await findExisting(inside, to, [...new Set(links.map(({ to_id }) => to_id))])
  const byRecord = Map.groupBy(
    links.filter(({ to_id }) => existing.has(to_id)),
    ({ from_id }) => from_id,
  )
  return new Map(ids.map((id) => [id, (byRecord.get(id) ?? []).map(({ to_id }) => to_id)]))
}

/** The function that applies an edit to a value. Refuses an edit that the attribute does not support. */
function changeOf(target: Target, { op, value }: Edit, records: number): (before: unknown) => unknown {
  const takesItems = target.kind === 'links' || (target.kind === 'field' && isList(target.field))
  const gives = op === 'set' || op === 'add'
  if (gives && target.kind === 'field' && target.field.unique && records > 1) {
    refuseValue('op', `No two records can have the same ${target.field.name}. Change it record by record.`)
  }
  if (op === 'clear') return () => (takesItems ? [] : null)
  if (value === null) refuseValue('value', `The value is required to ${op}.`)
  if (op === 'set') return () => value
  if (!takesItems) refuseValue('op', `Only lists take ${op}. Use set or clear.`)
  const items = itemsOf(target, value)
  const keyOf = (item: unknown) => keyIn(target, item)
  const named = new Set(items.map(keyOf))
  return (before) => {
    const held: unknown[] = Array.isArray(before) ? before : []
    if (op === 'remove') return held.filter((item) => !named.has(keyOf(item)))
    const own = new Set(held.map(keyOf))
    return [...held, ...items.filter((item) => !own.has(keyOf(item)))]
  }
}

/** The items of a list, in their stored form. */
function itemsOf(target: Target, value: unknown): readonly unknown[] {
  if (target.kind !== 'field') return Array.isArray(value) ? value : refuseValue('value', 'The value must be a list.')
  const { field } = target
  const { refersTo, parse } = fieldTypes[field.type]
  // References are sent as they are read, with their type.
  const sent = refersTo && Array.isArray(value) ? value.map(idOrSelf) : value
  const items = parseOrRefuse([], (report) => parse(sent, { field, path: 'value', report }))
  return Array.isArray(items) ? items : []
}

/** The key of an item: two items of a list with the same key are equal. */
function keyIn(target: Target, item: unknown): string {
  if (target.kind !== 'field' || typeof item !== 'string') return String(item)
  return keysOf(target.field, [item]).join(' ')
}
