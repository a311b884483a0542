import type { Definitions } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import { BATCH_CHUNK, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { Refusal } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../../records/allow.ts'
import type { Context } from '../../records/ask.ts'
import { hashOf, once, refuseKey } from '../../records/once.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import { writing } from '../../records/writing.ts'
import { type Fields, readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { findRecord, loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import type { Operation, Outcome } from '../operation.ts'
import { inChunkTurn } from '../run-batch.ts'
import { runOperations } from '../run-operations.ts'
import { changeOf, dataOf, parseEdit, targetOf, valuesOf } from './edit.ts'
import { stillMatching } from './matching-ids.ts'

/** What became of a record. `before` is the value as an update takes it, to undo the change. */
type BulkResult = { id: string } & (
  | { outcome: 'changed'; updated_at: string; before: unknown }
  /** It was so already. */
  | { outcome: 'same' }
  /** It is deleted, or does not match any more. */
  | { outcome: 'skipped' }
  | { outcome: 'failed'; message: string }
)

/** Changes one attribute of up to 100 records, in one transaction. Those that are refused do not stop the others. */
export function editRecords(scope: Scope, resource: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update'])
  const { edit, ...request } = parseBulk(body, parseEdit)
  return runChunk(scope, { name: 'edit', body, key: request.key }, async (inside, definitions) => {
    const target = targetOf(resource, definitions, edit.attribute)
    const change = changeOf(target, edit, request.ids.length)
    const rows = await rowsOf(inside, { resource, definitions }, request)
    const values = await valuesOf(inside, target, rows)
    const operations = rows.map(
      (row): Operation => ({
        ...{ op: 'update', resource: resource.type, id: row.id, if_match: row.updated_at },
        data: dataOf(target, change(values.get(row.id))),
      }),
    )
    const outcomes = await runUnchanged(inside, operations)
    return resultsOf(request.ids, rows, (row, index) => resultOf(row, outcomes[index], values.get(row.id)))
  })
}

/** Deletes up to 100 records, in one transaction. */
export function deleteRecords(scope: Scope, resource: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['delete'])
  const request = parseBulk(body, () => ({}))
  return runChunk(scope, { name: 'delete', body, key: request.key }, async (inside, definitions) => {
    const rows = await rowsOf(inside, { resource, definitions }, request)
    const operations = rows.map(
      ({ id, updated_at }): Operation => ({ op: 'delete', resource: resource.type, id, if_match: updated_at }),
    )
    const outcomes = await runUnchanged(inside, operations)
    return resultsOf(request.ids, rows, (row, index) => resultOf(row, outcomes[index], null))
  })
}

/** Gives records the value that they had before an edit. Those that were changed since then stay as they are. */
export function undoEdit(scope: Scope, resource: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update'])
  const { records, attribute, key } = parseUndo(body, ({ text }) => ({ attribute: text('attribute') }))
  return runChunk(scope, { name: 'undo', body, key }, async (inside, definitions) => {
    const target = targetOf(resource, definitions, attribute)
    const operations = records.map(
      ({ id, updated_at, before }): Operation => ({
        ...{ op: 'update', resource: resource.type, id, if_match: updated_at },
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

type Keyed = { name: string; body: unknown; key: string }
type Work = (inside: Scope, definitions: Definitions) => Promise<BulkResult[]>

/** A repeated request with the same key returns the first result, so that what is needed to undo it is not lost. */
function runChunk(scope: Scope, { name, body, key }: Keyed, work: Work): Promise<BulkResult[]> {
  const owner = `bulk ${scope.actor.user_id}`
  return inChunkTurn(scope, () =>
    once<BulkResult[]>(scope, {
      keyed: { owner, key, request: `bulk ${name}`, body_hash: hashOf(body) },
      async work(inside) {
        const value = await writing(inside, work)
        return { value, response: { status: 200, headers: '{}', body: JSON.stringify(value) } }
      },
      replay: (_inside, stored) => JSON.parse(stored.body ?? '[]'),
      refuseOther: () => refuseKey('The key was used for another request. Use a new key for each request.'),
    }),
  )
}

async function rowsOf(inside: Scope, context: Context, request: BulkRequest): Promise<StoredRecord[]> {
  const ids = await stillMatching(inside, context, request)
  return ids.length === 0 ? [] : loadStored(inside, context.resource, ids)
}

/** Runs operations on records as they were read. If another write came in between, the transaction restarts. */
async function runUnchanged(inside: Scope, operations: readonly Operation[]): Promise<Outcome[]> {
  const outcomes = await runOperations(inside, operations)
  if (outcomes.some(isChangedOrGone)) throw new Conflict()
  return outcomes
}

function isChangedOrGone(outcome: Outcome | undefined): boolean {
  if (!outcome || !('refused' in outcome)) return false
  return outcome.refused.kind === 'precondition_failed' || outcome.refused.kind === 'not_found'
}

type Read = { id: string; updated_at: string }

function resultOf({ id, updated_at }: Read, outcome: Outcome | undefined, before: unknown): BulkResult {
  if (!outcome) throw new Error('An operation has no outcome.')
  if ('refused' in outcome) return { id, outcome: 'failed', message: messageOf(outcome) }
  // The time of a deleted record stays.
  if ('removed' in outcome) return { id, outcome: 'changed', updated_at, before }
  if (!outcome.changing) return { id, outcome: 'same' }
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
 * Restores up to 100 deleted records, each in a transaction of its own: a restore may undo a merge, or return the
 * references of other records. One that was restored and deleted again since then stays deleted.
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
    return { id, outcome: 'changed', updated_at: String(data[0]?.attributes.updated_at), before: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // A repeated request finds what it has restored already.
    if (await findRecord(scope, resource, id)) return { id, outcome: 'same' }
    if (error.reason.kind === 'precondition_failed') return { id, outcome: 'skipped' }
    return { id, outcome: 'failed', message: error.message }
  }
}

/** A record, when it was last changed, and what a value of it was before. */
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
