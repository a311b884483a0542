import type { ExternalIdsInput } from '@kith/contract/external-ids'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { type AuditEntry, type Change, type FeedChange, noteWrite } from '../audit/write.ts'
import { posting, type Scope } from '../scope/scope.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { findFields } from '../storage/tables/custom-fields.ts'
import {
  type ExternalIdRow,
  freeExternalIds,
  insertExternalIds,
  removeExternalIds,
  returnExternalIds,
} from '../storage/tables/external-ids.ts'
import { removeValues } from '../storage/tables/field-values.ts'
import { insertLinks, type Link, removeLinks } from '../storage/tables/links.ts'
import { insertRecords, markDeleted, type RecordRow, type RowChanges, updateRecord } from '../storage/tables/records.ts'
import { type DeletedRow, markReturned } from '../storage/tables/trash.ts'
import { auditChanges, type Changing, isNothing } from './changes.ts'
import { externalIdsChange } from './external-ids/changes.ts'
import { byRecord } from './external-ids/external-ids-of.ts'
import { momentAfter } from './moment-after.ts'
import { indexRecords, unindexRecords } from './record-index.ts'
import { changedJson, type FieldValue, givenValues, valuesIn } from './stored-values.ts'

/*
 * The only place that writes records. Each function writes the rows and everything derived from them in the caller's
 * transaction: index, search texts, links, counts and audit entries. The database itself notes which sort keys move.
 */

/** An audit entry about a record says whether the feed shows it, too. */
export type RecordEntry = AuditEntry & { change: FeedChange | undefined }

/** Every write of records ends here, also one that changes many rows with a single statement, such as a merge. */
export async function finishWrite(
  inside: Scope,
  resource: ResourceName,
  { live = 0, entries }: { live?: number; entries: readonly RecordEntry[] },
): Promise<void> {
  await noteWrite(inside, entries)
  await addToCounts(inside, resource, live)
}

export type NewRecord = {
  id: string
  label: string
  references: ReadonlyMap<string, string | null>
  creation_source: string
  created_at: string
  /** Later than the creation for sample data only. */
  updated_at?: string
  values: readonly FieldValue[]
  links: readonly Omit<Link, 'from_id'>[]
  external_ids?: ExternalIdsInput | undefined
}

/** Stores new records of the actor. Returns them as a read would: all that they refer to exists. */
export async function storeNew(inside: Scope, resource: Resource, records: readonly NewRecord[]): Promise<RecordRow[]> {
  const { type } = resource
  const rows = records.map((record) => newRow(inside, resource, record))
  const links = records.flatMap(({ id, links }) => links.map((link) => ({ from_id: id, ...link })))
  const entries = records.map(({ id, creation_source, created_at, updated_at = created_at }): RecordEntry => {
    const entry = { action: 'create', resource: type, record_id: id } as const
    const change = { kind: 'created', at: updated_at } as const
    // Sample data has one audit entry for all of it.
    if (creation_source === 'sample') return { ...entry, change: { ...change, source: 'sample' }, audited: false }
    return { ...entry, change }
  })
  const posted = posting(inside)
  await insertRecords(posted, resource, rows)
  await indexRecords(posted, resource, records)
  await insertLinks(posted, type, links)
  await insertExternalIds(posted, type, records.flatMap(newExternalIds))
  await finishWrite(posted, type, { live: rows.length, entries })
  return rows
}

function newExternalIds({ id, external_ids: sent }: NewRecord): readonly ExternalIdRow[] {
  return externalIdsChange({ id, held: [], sent })?.added ?? []
}

function newRow({ actor }: Scope, resource: Resource, record: NewRecord): RecordRow {
  const { id, label, references, creation_source, created_at, updated_at = created_at, values } = record
  const referred = Object.keys(resource.references).map((column) => [column, references.get(column) ?? null])
  return {
    id,
    [resource.label]: label,
    ...Object.fromEntries(referred),
    creator_id: actor.user_id,
    creation_source,
    created_at,
    updated_at,
    custom_fields: JSON.stringify(Object.fromEntries(values.map(([field, value]) => [field.key, value]))),
  }
}

type StoringChanges = Changing & {
  action?: 'update' | 'merge' | 'undo_merge'
  /** Changes that only the audit log shows. */
  more?: readonly Change[]
}

/** Stores changes of a record. Returns it as a read would: all that it newly refers to exists. */
export async function storeChanges(
  inside: Scope,
  resource: Resource,
  { current, changes, action = 'update', more = [] }: StoringChanges,
): Promise<RecordRow> {
  const { type } = resource
  const own = auditChanges(resource, current, changes)
  const entry = { action, resource: type, record_id: current.id, changes: [...more, ...own] }
  if (isNothing(changes)) {
    if (action !== 'update') await finishWrite(inside, type, { entries: [{ ...entry, change: undefined }] })
    return current
  }
  const { label, references, values } = changes
  const changed: RowChanges & { updated_at: string } = {
    ...(label === undefined ? {} : { [resource.label]: label }),
    ...Object.fromEntries(references),
    ...(values.size === 0 ? {} : { custom_fields: changedJson(current.custom_fields, values) }),
    updated_at: momentAfter(inside, [current]),
  }
  const posted = posting(inside)
  await updateRecord(posted, { resource, id: current.id }, changed)
  await reindexChanges(posted, resource, { current, changes })
  await storeLinks(posted, resource, { current, changes })
  await removeExternalIds(posted, current.id, changes.external_ids?.removed ?? [])
  await insertExternalIds(posted, type, changes.external_ids?.added ?? [])
  const change = { kind: 'updated', at: changed.updated_at, changed: own.map(([name]) => name) } as const
  await finishWrite(posted, type, { entries: [{ ...entry, change }] })
  return { ...current, ...changed }
}

async function reindexChanges(inside: Scope, resource: Resource, { current, changes }: Changing): Promise<void> {
  const { id, created_at } = current
  const { label, values } = changes
  const fields = [...values.keys()].map((field) => field.id)
  const cleared = [...values].filter(([, value]) => value === null).map(([field]) => field.id)
  const place = { workspaceId: inside.workspace.id, table: resource.type }
  await removeValues(inside, id, fields)
  await inside.engine.search.remove(inside.db, place, { recordId: id, fields: cleared })
  await indexRecords(inside, resource, [{ id, created_at, label, values: givenValues(values) }])
}

async function storeLinks(inside: Scope, { type }: Resource, { current, changes }: Changing): Promise<void> {
  const { id } = current
  for (const { relation, removed } of changes.links) await removeLinks(inside, id, { relation, to_ids: removed })
  const added = changes.links.flatMap((list) =>
    list.added.map((to_id) => ({ from_id: id, relation: list.relation, to_id })),
  )
  await insertLinks(inside, type, added)
}

type StoringDeletions = {
  ids: readonly string[]
  /** For the losers of a merge. */
  merged?: { into: string; changes: readonly Change[] }
}

/** Deletes live records softly: rows and links stay for a restore. Returns how many were live. */
export async function storeDeletions(
  inside: Scope,
  resource: Resource,
  { ids, merged }: StoringDeletions,
): Promise<number> {
  const { type } = resource
  const at = inside.now().toISOString()
  const deleted = await markDeleted(inside, resource, { ids, at })
  await unindexRecords(inside, resource, ids)
  const externalIds = byRecord(await freeExternalIds(inside, ids))
  const entries = deleted.map(({ id, name }): RecordEntry => {
    const entry = { resource: type, record_id: id, name }
    const last = externalIds.get(id)
    const gone = { at, external_ids: last ? JSON.stringify(last) : null }
    if (!merged) return { ...entry, action: 'delete', change: { kind: 'deleted', ...gone } }
    const change = { kind: 'merged', ...gone, merged_into: merged.into } as const
    return { ...entry, action: 'merge', changes: merged.changes, change }
  })
  await finishWrite(inside, type, { live: -deleted.length, entries })
  return deleted.length
}

/** Makes deleted records live again. */
export async function storeReturns(inside: Scope, resource: Resource, rows: readonly DeletedRow[]): Promise<void> {
  if (rows.length === 0) return
  const { type } = resource
  const ids = rows.map((row) => row.id)
  // A client that syncs by the time of the last change must see that they are back.
  const at = momentAfter(inside, rows)
  await markReturned(inside, resource, { ids, updated_at: at })
  // With the values of archived fields: they return with their field.
  const fields = await findFields(inside, type)
  const records = rows.map((row) => ({ ...row, values: valuesIn(row, fields) }))
  await indexRecords(inside, resource, records)
  await returnExternalIds(posting(inside), ids)
  const entries = rows.map(
    ({ id, label }): RecordEntry => ({
      ...({ action: 'restore', resource: type, record_id: id, name: label } as const),
      change: { kind: 'restored', at },
    }),
  )
  await finishWrite(inside, type, { live: rows.length, entries })
}
