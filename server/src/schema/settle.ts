import { setTimeout as pause } from 'node:timers/promises'
import type { FieldOption } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { firstIdAt } from '@kith/contract/id'
import { resourceIn, withArchived } from '@kith/contract/resource'
import { isSearched } from '../fields/options.ts'
import { momentAfter } from '../records/changes.ts'
import { documentOf, indexRecords } from '../records/reindex.ts'
import { finishWrite, type RecordEntry } from '../records/store.ts'
import { parseStored, presentValue, valuesIn, withoutDeletedOptions } from '../records/stored-values.ts'
import { inTransaction, type Scope, type ScopeFacts } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { fieldsLock } from '../storage/engines/transactions.ts'
import { removeChangeValues } from '../storage/tables/audit-log.ts'
import {
  findAbandoned,
  findFields,
  findUnsettled,
  loadUnsettled,
  replaceUnsettled,
  type StoredField,
  type UnsettledWork,
} from '../storage/tables/custom-fields.ts'
import {
  BATCH,
  loadNextKeepers,
  loadOptionHolders,
  removeValues,
  replaceValues,
  type ValuesRow,
} from '../storage/tables/field-values.ts'

/*
 * A change of a field writes its definition in a short transaction, and stores the pending work for the records in the
 * row of the field. The pending work is done here, in steps, before the request is answered. See decision 25.
 */

/** Records that removed options must be cleared from the records. `cause` is the change that removed them. */
export async function leaveToClear(
  inside: Scope,
  field: StoredField,
  { gone, cause }: { gone: readonly FieldOption[]; cause: string },
): Promise<void> {
  const { user_id, token_id, source } = inside.actor
  const removed = gone.map((option) => ({ ...option, by: { user_id, token_id, source }, cause }))
  const before = await loadUnsettled(inside, field.id)
  await leave(inside, field, { ...before?.unsettled, removed: [...(before?.unsettled.removed ?? []), ...removed] })
}

/** Records that the words of all records with an archived or restored field must be indexed again. */
export async function leaveToSearch(inside: Scope, field: StoredField): Promise<void> {
  if (fieldTypes[field.type].searched === undefined) return
  const before = await loadUnsettled(inside, field.id)
  await leave(inside, field, { removed: before?.unsettled.removed ?? [], after: '', words: true })
}

/** Records that the values of a deleted field must be removed from the index. */
export async function leaveToRemove(inside: Scope, field: StoredField): Promise<void> {
  const before = await loadUnsettled(inside, field.id)
  await leave(inside, field, { removed: [], after: '', words: before?.unsettled.words ?? false })
}

function leave(inside: Scope, { id }: StoredField, left: Omit<UnsettledWork, 'at'>): Promise<void> {
  return replaceUnsettled(inside, id, { ...left, at: inside.now().toISOString() })
}

/**
 * The lock of a database file has no queue: other processes try it every few milliseconds, and must find it free
 * between two steps.
 */
const PAUSE_MS = 10

/**
 * Does the pending work of field changes in short transactions, so that others can write in between. Any process can do
 * the next step at any time: after a crash, upkeep continues.
 */
export async function settleFields(scope: Scope): Promise<void> {
  // A resource may have been archived since then.
  const whole = { ...scope, schema: withArchived(scope.schema) }
  for (const id of await findUnsettled(whole)) {
    while (await inTransaction(whole, (inside) => settleSome(inside, id))) await pause(PAUSE_MS)
  }
}

/**
 * The workspaces with pending work in which no process has done a step since a time: the process that began it has
 * ended.
 */
export async function findAbandonedFields({ db }: Engine, before: Date): Promise<ScopeFacts[]> {
  // Each step acts for the member who made the change.
  const actor = { user_id: '', role: 'viewer', abilities: [], token_id: null, source: 'api' } as const
  const found = await findAbandoned(db, before.toISOString())
  return found.map((workspace) => ({ workspace: { ...workspace, slug: '', name: '', fields_version: 0 }, actor }))
}

/** Does the next step of a field. Returns whether there is more to do. */
async function settleSome(inside: Scope, fieldId: string): Promise<boolean> {
  // Excludes all other writes of the workspace, and other steps.
  await inside.engine.lock(inside.db, [fieldsLock(inside.workspace.id)])
  const found = await loadUnsettled(inside, fieldId)
  if (!found) return false
  const { field, unsettled } = found
  const next = unsettled.removed[0] ? await clearSome(inside, field, unsettled) : await indexSome(inside, found)
  const isSettled = next.removed.length === 0 && next.after === undefined
  if (isSettled) await replaceUnsettled(inside, fieldId, null)
  else await leave(inside, field, next)
  return !isSettled
}

/** Clears the first removed option from some records, and all other removed options that they hold. */
async function clearSome(inside: Scope, field: StoredField, unsettled: UnsettledWork): Promise<UnsettledWork> {
  const [option, ...others] = unsettled.removed
  if (!option) return unsettled
  const rows = await loadOptionHolders(inside, field, option.id)
  const cleared = rows.map((row) => {
    return { ...row, updated_at: momentAfter(inside, [row]), custom_fields: withoutDeletedOptions(row, [field]) }
  })
  await replaceValues(inside, cleared)
  await removeValues(inside, ofField(field, cleared))
  await indexRecords(
    inside,
    resourceIn(inside.schema, field.entity_type),
    cleared.map((row) => ({ ...row, label: undefined, values: valuesIn(row, [field]) })),
  )
  const entries = cleared.map((row, index) => {
    return { ...entryOf(field, row, rows[index]?.custom_fields ?? row.custom_fields), cause: option.cause }
  })
  const author = { ...inside, actor: { ...inside.actor, ...option.by } }
  if (entries.length > 0) await finishWrite(author, field.entity_type, { entries })
  return rows.length < BATCH ? { ...unsettled, removed: others } : unsettled
}

/** The field still knows the labels of the removed options. */
function entryOf(field: StoredField, { id, updated_at, custom_fields }: ValuesRow, before: string): RecordEntry {
  const name = `custom_fields.${field.code}`
  const valueIn = (json: string) => presentValue(parseStored(json)[field.key], field)
  return {
    action: 'update',
    resource: field.entity_type,
    record_id: id,
    changes: [[name, valueIn(before), valueIn(custom_fields)]],
    change: { kind: 'updated', at: updated_at, changed: [name] },
  }
}

/**
 * Indexes all words of some records that hold an archived or restored field, and removes the values of a deleted one
 * from the index. The index over the values is the same for active and archived fields.
 */
async function indexSome(
  inside: Scope,
  { field, unsettled, deletedAt }: { field: StoredField; unsettled: UnsettledWork; deletedAt: string | null },
): Promise<UnsettledWork> {
  if (unsettled.after === undefined) return unsettled
  const { search } = inside.engine
  const { rows, last } = await loadNextKeepers(inside, field, unsettled.after)
  if (unsettled.words) {
    const active = (await findFields(inside, field.entity_type)).filter(({ archived_at }) => archived_at === null)
    const records = rows.map(({ number, created_at, label, custom_fields }) => {
      return { number, created_at, values: [], document: documentOf(label, valuesIn({ custom_fields }, active)) }
    })
    await indexRecords(inside, resourceIn(inside.schema, field.entity_type), records)
  }
  if (deletedAt !== null) {
    await removeValues(inside, ofField(field, rows))
    if (isSearched(field.type)) await search.remove(inside.db, inside.workspace.number, ofField(field, rows))
  }
  if (last !== undefined) return { ...unsettled, after: last }
  if (deletedAt !== null && (await removeSomeBefore(inside, field, deletedAt))) return unsettled
  if (deletedAt !== null && isSearched(field.type))
    await search.removeField(inside.db, inside.workspace.number, field.number)
  // Also increments the version, because clients may have outdated search results.
  await finishWrite(inside, field.entity_type, { entries: [] })
  return { removed: unsettled.removed, at: unsettled.at }
}

/** Removes some of the values from before that changes of a deleted field keep. Its code may be in use again. */
function removeSomeBefore(inside: Scope, field: StoredField, deletedAt: string): Promise<boolean> {
  const before = firstIdAt(Date.parse(deletedAt))
  return removeChangeValues(inside, { resource: field.entity_type, field: `custom_fields.${field.code}`, before })
}

function ofField(field: StoredField, rows: readonly ValuesRow[]): { record: number; field: number }[] {
  return rows.map(({ number }) => ({ record: number, field: field.number }))
}
