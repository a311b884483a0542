import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import { createDefaultFields } from '../fields/default-fields.ts'
import { isSearched } from '../fields/field-types.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import type { SearchField } from '../storage/engines/engine.ts'
import { resourceFields } from '../storage/engines/search-fields.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { findAllFields, findFields } from '../storage/tables/custom-fields.ts'
import {
  BATCH,
  holdFields,
  type IndexedRow,
  loadDrift,
  loadNextRows,
  sweepValues,
} from '../storage/tables/record-values.ts'
import { keysOfName, updateRecords } from '../storage/tables/records.ts'
import { documentOf, indexRecords, unindexRecords } from './record-index.ts'
import { valuesIn } from './stored-values.ts'

/**
 * Rebuilds everything that is derived from the records of a workspace: the index over their values, their search texts,
 * the keys of their names and their counts. Adds the starting fields of a resource that is new in this version. Changes
 * nothing if all of it was right. Runs in short transactions, so that others can read and write in between. Returns the
 * number of live records.
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
    // Also increments the version: results that clients have may be outdated.
    await inTransaction(scope, async (inside) => addToCounts(inside, resource, await loadDrift(inside, resource)))
  }
  return records
}

/** Removes index entries of no field or record. The values of archived fields stay: they return with their field. */
async function sweep(inside: Scope): Promise<void> {
  await holdFields(inside)
  // A resource that is new in this version has no fields yet.
  await createDefaultFields(inside)
  const fields = await findAllFields(inside)
  await sweepValues(inside, fields)
  const searched: SearchField[] = [
    ...resourceFields,
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

/** How many records were live, and where to continue. */
type Done = { live: number; last: string | undefined }

async function reindexSome(inside: Scope, resource: Resource, after: string): Promise<Done> {
  await holdFields(inside)
  const fields = await findFields(inside, resource.type)
  const rows = await loadNextRows(inside, resource.type, after)
  const live = rows.filter((row) => row.deleted_at === null)
  await unindexRecords(
    inside,
    resource,
    live.map((row) => row.id),
  )
  const active = fields.filter((field) => field.archived_at === null)
  const records = live.map((row) => {
    return { ...row, values: valuesIn(row, fields), document: documentOf(row.label, valuesIn(row, active)) }
  })
  await indexRecords(inside, resource, records)
  await correctNameKeys(inside, resource, rows)
  return { live: live.length, last: rows.length < BATCH ? undefined : rows.at(-1)?.id }
}

/**
 * Name keys are only wrong if a new version of Kith folds names differently. Deleted records need theirs for a restore.
 */
async function correctNameKeys(inside: Scope, resource: Resource, rows: readonly IndexedRow[]): Promise<void> {
  const wrong = rows.flatMap(({ id, label, name_key, duplicate_key }) => {
    const changes = keysOfName(resource, label)
    return name_key === changes.name_key && duplicate_key === changes.duplicate_key ? [] : [{ id, changes }]
  })
  await updateRecords(inside, resource, wrong)
}
