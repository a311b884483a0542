import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { type Resource, type ResourceName, resourceNames } from '@kith/contract/resource'
import { isSearched } from '../fields/field-types.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import type { SearchField } from '../storage/engines/engine.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { findAllFields } from '../storage/tables/custom-fields.ts'
import { insertValues, valueRows } from '../storage/tables/field-values.ts'
import { BATCH } from '../storage/tables/record-values.ts'
import { updateRecord } from '../storage/tables/records.ts'
import {
  holdFields,
  type IndexedRow,
  loadDrift,
  loadNextRows,
  removeValuesOf,
  sweepValues,
} from '../storage/tables/reindex.ts'
import { nameKey, searchTexts } from './effects.ts'
import { parseStored } from './present.ts'

/**
 * Derives all that is derived from the records of a workspace anew: the index over their values, their search texts,
 * the keys of their names and their counts. Where all was right, nothing changes. Goes in short transactions, between
 * which others read and write. Returns the number of records.
 */
export async function reindexWorkspace(scope: Scope): Promise<number> {
  await inTransaction(scope, sweep)
  let records = 0
  for (const resource of resourceNames) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const done = await inTransaction(scope, (inside) => reindexSome(inside, registry[resource], from))
      records += done.live
      after = done.last
    }
    await inTransaction(scope, (inside) => recount(inside, resource))
  }
  return records
}

/** Takes away what stands in the index for nothing. The values of archived fields stay: they come back with them. */
async function sweep(inside: Scope): Promise<void> {
  await holdFields(inside)
  const fields = await findAllFields(inside)
  await sweepValues(inside, fields)
  const searched: SearchField[] = [
    ...resourceNames.map((name) => ({ name, table: name })),
    ...fields.filter(({ type }) => isSearched(type)).map(({ id, entity_type }) => ({ name: id, table: entity_type })),
  ]
  const { search } = inside.engine
  await search.sweep(inside.db, inside.workspace.id, searched)
  await search.addFields(
    inside.db,
    inside.workspace.id,
    searched.map((field) => field.name),
  )
}

/** How many records were live, and where to go on. */
type Done = { live: number; last: string | undefined }

async function reindexSome(inside: Scope, resource: Resource, after: string): Promise<Done> {
  await holdFields(inside)
  const fields = (await findAllFields(inside)).filter((field) => field.entity_type === resource.type)
  const rows = await loadNextRows(inside, resource.type, after)
  const live = rows.filter((row) => row.deleted_at === null)
  const records = live.map((row) => ({ ...row, values: valuesOf(row, fields) }))
  const ids = live.map((row) => row.id)
  const workspaceId = inside.workspace.id
  await removeValuesOf(inside, ids)
  await insertValues(
    inside,
    records.flatMap((record) => valueRows(workspaceId, record)),
  )
  const { search } = inside.engine
  await search.removeAll(inside.db, { workspaceId, table: resource.type }, ids)
  const texts = records.flatMap(({ id, label, values }) => searchTexts(resource, { id, label, values }))
  await search.put(inside.db, { workspaceId, table: resource.type }, texts)
  await correctNameKeys(inside, resource, rows)
  return { live: live.length, last: rows.length < BATCH ? undefined : rows.at(-1)?.id }
}

function valuesOf(row: IndexedRow, fields: readonly FieldDefinition[]): [FieldDefinition, StoredValue][] {
  const stored = parseStored(row.custom_fields)
  return fields.flatMap((field) => {
    const value = stored[field.key]
    return value === undefined ? [] : [[field, value] as [FieldDefinition, StoredValue]]
  })
}

/**
 * They are right, unless folding has changed with a new version of Kith. Deleted records have theirs too, for when they
 * are restored.
 */
async function correctNameKeys(inside: Scope, resource: Resource, rows: readonly IndexedRow[]): Promise<void> {
  for (const { id, label, name_key } of rows) {
    const right = nameKey(label)
    if (name_key !== right) await updateRecord(inside, { resource, id }, { name_key: right })
  }
}

/** Whatever was counted before is out of date, for the index may have changed. */
async function recount(inside: Scope, resource: ResourceName): Promise<void> {
  const live = await loadDrift(inside, resource)
  await addToCounts(inside, resource, live)
}
