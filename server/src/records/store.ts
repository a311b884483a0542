import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { CUSTOM_FIELDS, type Resource, type ResourceName } from '@kith/contract/resource'
import { type AuditEntry, type Change, type FeedChange, noteWrite } from '../journal/write.ts'
import { posting, type Scope } from '../scope/scope.ts'
import { findFields } from '../storage/tables/custom-fields.ts'
import { type DeletedRow, markReturned } from '../storage/tables/expiry.ts'
import {
  type ExternalIdRow,
  freeExternalIds,
  insertExternalIds,
  removeExternalIds,
  returnExternalIds,
} from '../storage/tables/external-ids.ts'
import { removeValues, replaceValues } from '../storage/tables/field-values.ts'
import { insertLinks, type Link, removeLinks } from '../storage/tables/links.ts'
import { stayWithWinners } from '../storage/tables/merges.ts'
import {
  addToCounts,
  insertRecords,
  markDeleted,
  type NumberedRecord,
  type RecordRow,
  type RowChanges,
  replaceDeletedAt,
  updateRecords,
} from '../storage/tables/records.ts'
import { type Given, notifyAssigned } from './assigned.ts'
import { auditChanges, isNothing, momentAfter, type NewRecord, type RecordChange } from './changes.ts'
import { byRecord, externalIdsChange } from './external-ids.ts'
import { notePartsBack, notePartsGone } from './record-parts.ts'
import { withLabels } from './reference-labels.ts'
import { documentOf, type IndexSource, indexRecords, unindexRecords } from './reindex.ts'
import { changedJson, givenValues, idsIn, valuesIn, withoutDeletedOptions } from './stored-values.ts'
import { continuedSeries, type Turn, turnOf } from './tasks/series.ts'

/*
 * The only place that writes records. Each function writes the rows and all derived data in the caller's transaction:
 * index, search texts, links, counts and audit entries. The database itself records which sort keys move.
 */

/** An audit entry about a record, and whether the feed shows it, too. */
export type RecordEntry = AuditEntry & { change: FeedChange | undefined }

/**
 * Every write of records ends here, including one that changes many rows with a single statement, such as a merge.
 * Returns the ids of the changes.
 */
export async function finishWrite(
  inside: Scope,
  resource: ResourceName,
  { live = 0, entries }: { live?: number; entries: readonly RecordEntry[] },
): Promise<string[]> {
  const ids = await noteWrite(inside, entries)
  await addToCounts(inside, resource, live)
  return ids
}

/** The entry of a record whose references or links moved. */
export function movedEntry(
  resource: ResourceName,
  { record_id, at, cause }: { record_id: string; at: string; cause: string | undefined },
  changes: readonly Change[],
): RecordEntry {
  const changed = changes.map(([name]) => name)
  return { action: 'update', resource, record_id, changes, cause, change: { kind: 'updated', at, changed } }
}

/** By which merges name the values of a reference field. */
export function relationOfField({ id }: Pick<FieldDefinition, 'id'>): string {
  return CUSTOM_FIELDS + id
}

/** A stored record, its changes, and its audit entry. */
type ChangedRecord = RecordChange & {
  /** The active fields of its resource. */
  fields: readonly FieldDefinition[]
  action?: 'update' | 'merge' | 'undo_merge'
  /** Changes that only the audit log shows. */
  more?: readonly Change[]
} & Pick<AuditEntry, 'undo_of' | 'cause' | 'save'>

/** Stores changes of a record. Returns it as a read would, because all newly referenced records exist. */
export async function storeChanges(inside: Scope, resource: Resource, changed: ChangedRecord): Promise<RecordRow> {
  const [stored] = await storeWrites(inside, resource, [changed])
  return stored?.row ?? changed.current
}

/**
 * Stores new records and changes of others, each record once, with a few statements for any number of records. The feed
 * has them in this order. Returns them as a read would, with the ids of the changes, unless nothing changed.
 */
export async function storeWrites(
  inside: Scope,
  resource: Resource,
  writes: readonly (NewRecord | ChangedRecord)[],
): Promise<{ row: RecordRow; change_id: string | undefined }[]> {
  const { type } = resource
  const numbers = await inside.engine.takeNumbers(inside.db, 'records', writes.filter(isNew).length)
  const planned = writes.map((write) =>
    isNew(write)
      ? planNew(inside, resource, { ...write, number: numbers.shift() ?? 0 })
      : planChange(inside, resource, write),
  )
  const created = planned.filter((one) => one.created)
  const changed = planned.flatMap(({ changing, columns }) => (changing && columns ? [{ ...changing, columns }] : []))
  const posted = posting(inside)
  await insertRecords(
    posted,
    resource,
    created.map(({ row }) => row),
  )
  await updateRecords(
    posted,
    resource,
    changed.map(({ current, columns }) => ({ number: current.number, changes: columns })),
  )
  const referring = planned.flatMap((one) => one.referring ?? [])
  for (const [column, some] of Map.groupBy(referring, (one) => one.column)) {
    const [ids, to] = [some.map((one) => one.id), new Set(some.map((one) => one.to))]
    await stayWithWinners(posted, { type, column, ids, to: [...to] })
  }
  await removeIndexed(posted, changed)
  await indexRecords(
    posted,
    resource,
    planned.flatMap(({ indexed }) => indexed ?? []),
  )
  await storeLinks(posted, resource, planned)
  await removeExternalIds(
    posted,
    changed.flatMap(({ changes }) => changes.external_ids?.removed ?? []),
  )
  await insertExternalIds(
    posted,
    resource,
    planned.flatMap(({ externalIds }) => externalIds),
  )
  const entries = await withLabels(
    inside,
    resource,
    planned.flatMap(({ entry }) => entry ?? []),
  )
  const ids = entries.length === 0 ? [] : await finishWrite(posted, type, { live: created.length, entries })
  await notifyAssigned(inside, resource, writes.flatMap(givenBy))
  const next = ids.values()
  const stored = planned.map(({ row, entry }) => ({ row, change_id: entry && next.next().value }))
  if (type === 'tasks')
    await continueSeries(
      inside,
      resource,
      writes.map((write, index) => turnIn(write, stored[index])),
    )
  return stored
}

/** The next task of each series whose latest task was completed is created. What is opened again takes it back. */
async function continueSeries(inside: Scope, resource: Resource, turns: readonly (Turn | undefined)[]): Promise<void> {
  const { created, unwanted } = await continuedSeries(
    inside,
    resource,
    turns.flatMap((turn) => turn ?? []),
  )
  if (created.length > 0) await storeWrites(inside, resource, created)
  // A new record and its creation have the same id.
  const undoes = new Map(unwanted.map((id) => [id, id]))
  if (unwanted.length > 0) await storeDeletions(inside, resource, { ids: unwanted, undoes })
}

/** A merge completes nothing. */
function turnIn(
  write: NewRecord | ChangedRecord,
  stored: { row: RecordRow; change_id: string | undefined } | undefined,
): Turn | undefined {
  if (isNew(write) || (write.action ?? 'update') !== 'update' || stored?.change_id === undefined) return undefined
  return turnOf(write, { row: stored.row, change_id: stored.change_id })
}

function isNew(write: NewRecord | ChangedRecord): write is NewRecord {
  return !('current' in write)
}

/** What a write may assign to members. Merges, sample data and the next task of a series assign nothing. */
function givenBy(write: NewRecord | ChangedRecord): Given[] {
  if (isNew(write)) {
    const { id: record_id, creation_source, references, values } = write
    const links = write.links.map(({ relation, to_id }) => ({ relation, ids: [to_id] }))
    const isFollowing = creation_source === 'sample' || write.cause !== undefined
    return isFollowing ? [] : [{ record_id, references, values, links, before: undefined }]
  }
  const { current, changes, action = 'update' } = write
  const { references, values } = changes
  const links = changes.links.map(({ relation, added }) => ({ relation, ids: added }))
  const given = { record_id: current.id, references, values, links, before: current.custom_fields }
  return action === 'update' ? [given] : []
}

/** The writes for one record. */
type RecordPlan = {
  /** The record after the write. */
  row: NumberedRecord
  created: boolean
  /** The columns of a row that change. */
  columns?: RowChanges
  changing?: RecordChange
  /** The newly referenced records, except for the undo of a merge. */
  referring?: readonly { column: string; id: string; to: string }[]
  indexed?: IndexSource
  links: readonly Link[]
  unlinked: readonly Link[]
  externalIds: readonly ExternalIdRow[]
  entry?: RecordEntry
}

function planNew(inside: Scope, resource: Resource, record: NewRecord & { number: number }): RecordPlan {
  const { id, creation_source, created_at, updated_at = created_at, external_ids: sent, cause } = record
  const entry = { action: 'create', resource: resource.type, record_id: id, cause } as const
  const change = { kind: 'created', at: updated_at } as const
  // Sample data has a single audit entry.
  const sample =
    creation_source === 'sample' ? { audited: false, change: { ...change, source: 'sample' as const } } : {}
  return {
    row: newRow(inside, resource, record),
    created: true,
    indexed: { ...record, document: documentOf(record.label, record.values) },
    links: record.links.map((link) => ({ from_id: id, ...link })),
    unlinked: [],
    externalIds: externalIdsChange({ id, held: [], sent })?.added ?? [],
    entry: { ...entry, change, ...sample },
  }
}

function newRow({ actor }: Scope, resource: Resource, record: NewRecord & { number: number }): NumberedRecord {
  const { id, number, label, references, creation_source, created_at, updated_at = created_at, values } = record
  const referred = Object.keys(resource.references).map((column) => [column, references.get(column) ?? null])
  return {
    id,
    number,
    [resource.label]: label,
    ...Object.fromEntries(referred),
    creator_id: actor.user_id,
    creation_source,
    created_at,
    updated_at,
    custom_fields: JSON.stringify(Object.fromEntries(values.map(([field, value]) => [field.key, value]))),
  }
}

function planChange(
  inside: Scope,
  resource: Resource,
  { current, changes, fields, action = 'update', more = [], undo_of, cause, save }: ChangedRecord,
): RecordPlan {
  const { id, number, created_at } = current
  const own = auditChanges(resource, current, changes)
  const entry = { action, resource: resource.type, record_id: id, changes: [...more, ...own], undo_of, cause, save }
  const nothing = { row: current, created: false, links: [], unlinked: [], externalIds: [] }
  if (isNothing(changes)) return action === 'update' ? nothing : { ...nothing, entry: { ...entry, change: undefined } }
  const { label, references, values } = changes
  const columns: RowChanges & { updated_at: string } = {
    ...(label === undefined ? {} : { [resource.label]: label }),
    ...Object.fromEntries(references),
    ...(values.size === 0 ? {} : { custom_fields: changedJson(current.custom_fields, values) }),
    updated_at: momentAfter(inside, [current]),
  }
  const row = { ...current, ...columns }
  const isFoundAnew = label !== undefined || values.keys().some(({ type }) => fieldTypes[type].searched !== undefined)
  const document = isFoundAnew ? documentOf(row[resource.label] ?? '', valuesIn(row, fields)) : undefined
  const linksTo = (relation: string, ids: readonly string[]) => ids.map((to_id) => ({ from_id: id, relation, to_id }))
  return {
    row,
    created: false,
    columns,
    changing: { current, changes },
    referring: action === 'undo_merge' ? [] : referredBy(id, changes),
    indexed: { number, created_at, label, values: givenValues(values), document },
    links: changes.links.flatMap(({ relation, added }) => linksTo(relation, added)),
    unlinked: changes.links.flatMap(({ relation, removed }) => linksTo(relation, removed)),
    externalIds: changes.external_ids?.added ?? [],
    entry: { ...entry, change: { kind: 'updated', at: columns.updated_at, changed: own.map(([name]) => name) } },
  }
}

/** What a record refers to from now on. */
function referredBy(id: string, { references, values }: RecordChange['changes']): RecordPlan['referring'] {
  const named = [...references].flatMap(([column, to]) => (to ? [{ column, id, to }] : []))
  const held = givenValues(values).flatMap(([field, value]) => {
    if (fieldTypes[field.type].refersTo !== 'records') return []
    return idsIn(value).map((to) => ({ column: relationOfField(field), id, to }))
  })
  return [...named, ...held]
}

/** Removes the index entries of changed values, and the search texts of cleared ones. */
async function removeIndexed(inside: Scope, changed: readonly RecordChange[]): Promise<void> {
  const values = changed.flatMap(({ current, changes }) =>
    [...changes.values].map(([field, value]) => ({ record: current.number, field: field.number, value })),
  )
  await removeValues(inside, values)
  const cleared = values.filter(({ value }) => value === null)
  await inside.engine.search.remove(inside.db, inside.workspace.number, cleared)
}

async function storeLinks(inside: Scope, { type }: Resource, planned: readonly RecordPlan[]): Promise<void> {
  await removeLinks(
    inside,
    planned.flatMap(({ unlinked }) => unlinked),
  )
  await insertLinks(
    inside,
    type,
    planned.flatMap(({ links }) => links),
  )
}

/**
 * Soft-deletes live records, including losers of a merge: rows and links stay. Returns the changes of those that were
 * live, by the id of the record.
 */
export async function storeDeletions(
  inside: Scope,
  resource: Resource,
  {
    ids,
    merged,
    undoes,
  }: {
    ids: readonly string[]
    merged?: { into: string; changes: readonly Change[] }
    /** The changes that the deletions undo, by the id of the record. */
    undoes?: ReadonlyMap<string, string> | undefined
  },
): Promise<ReadonlyMap<string, string>> {
  const { type } = resource
  const now = inside.now().toISOString()
  const deleted = await markDeleted(inside, resource, { ids, at: now })
  const names = new Map(deleted.map(({ id, name }) => [id, name]))
  // In the order of the request.
  const live = ids.filter((id) => names.has(id))
  if (live.length === 0) return new Map()
  // History is ordered by time, so a deletion is later than the last change, even in the same millisecond.
  const at = deleted.some(({ updated_at }) => updated_at >= now) ? momentAfter(inside, deleted) : now
  if (at !== now) await replaceDeletedAt(inside, resource, { ids: live, at })
  await unindexRecords(
    inside,
    deleted.map(({ number }) => number),
  )
  const externalIds = byRecord(await freeExternalIds(inside, live))
  const entries = live.map((id): RecordEntry => {
    const name = names.get(id) ?? ''
    const entry = { resource: type, record_id: id, name, undo_of: undoes?.get(id) }
    const last = externalIds.get(id)
    const gone = { at, external_ids: last ? JSON.stringify(last) : null }
    if (!merged) return { ...entry, action: 'delete', change: { kind: 'deleted', ...gone } }
    const change = { kind: 'merged', ...gone, merged_into: merged.into } as const
    return { ...entry, action: 'merge', changes: merged.changes, change }
  })
  const noted = await finishWrite(inside, type, { live: -live.length, entries })
  const changes = new Map(live.map((id, index) => [id, noted[index] ?? '']))
  // A merge moves the files and comments.
  if (!merged) await notePartsGone(inside, changes, at)
  return changes
}

/** Makes deleted records live again. `undoes` has the changes that this undoes. Returns the ids of the changes. */
export async function storeReturns(
  inside: Scope,
  resource: Resource,
  { rows, undoes }: { rows: readonly DeletedRow[]; undoes?: ReadonlyMap<string, string> | undefined },
): Promise<string[]> {
  if (rows.length === 0) return []
  const { type } = resource
  const ids = rows.map((row) => row.id)
  // A client that syncs by the time of the last change must see the restored records.
  const at = momentAfter(inside, rows)
  await markReturned(inside, resource, { ids, updated_at: at })
  // With the values of archived fields, which return with their field.
  const fields = await findFields(inside, type)
  const active = fields.filter((field) => field.archived_at === null)
  // Without options that were deleted meanwhile.
  const returned = rows.map((row) => ({ ...row, updated_at: at, custom_fields: withoutDeletedOptions(row, fields) }))
  const cleared = returned.filter(({ custom_fields }, index) => custom_fields !== rows[index]?.custom_fields)
  await replaceValues(inside, cleared)
  const records = returned.map((row) => {
    return { ...row, values: valuesIn(row, fields), document: documentOf(row.label, valuesIn(row, active)) }
  })
  await indexRecords(inside, resource, records)
  await returnExternalIds(posting(inside), ids)
  const entries = rows.map(
    ({ id, label }): RecordEntry => ({
      ...({ action: 'restore', resource: type, record_id: id, name: label } as const),
      undo_of: undoes?.get(id),
      change: { kind: 'restored', at },
    }),
  )
  const changes = await finishWrite(inside, type, { live: rows.length, entries })
  await notePartsBack(inside, new Map(ids.map((id, index) => [id, changes[index] ?? ''])))
  return changes
}
