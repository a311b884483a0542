import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { type Resource, withArchived } from '@kith/contract/resource'
import { searchDocument } from '@kith/contract/search-words'
import { createDefaultFields } from '../fields/definitions.ts'
import { isSearched } from '../fields/options.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import type { SearchText } from '../storage/engines/engine.ts'
import { documentField, labelField, resourceFields } from '../storage/engines/search-fields.ts'
import { findAllFields, findFields } from '../storage/tables/custom-fields.ts'
import {
  BATCH,
  deleteOtherValues,
  holdFields,
  type IndexedRow,
  insertValues,
  loadDrift,
  loadNextRows,
  removeValuesOf,
} from '../storage/tables/field-values.ts'
import { addToCounts, keysOfName, updateRecords } from '../storage/tables/records.ts'
import { type FieldValue, valuesIn } from './stored-values.ts'

/**
 * Rebuilds all data that is derived from the records of a workspace: the index over their values, search texts, name
 * keys and counts. Adds the default fields of a resource that is new in this version. Changes nothing if everything was
 * right. Runs in short transactions, so that others can read and write in between. Returns the number of live records.
 */
export async function reindexWorkspace(workspace: Scope): Promise<number> {
  // Archived resources come back with their index.
  const scope = { ...workspace, schema: withArchived(workspace.schema) }
  await inTransaction(scope, removeLeftovers)
  let records = 0
  for (const resource of scope.schema.values()) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      const done = await inTransaction(scope, (inside) => reindexSome(inside, resource, from))
      records += done.live
      after = done.last
    }
    // Also increments the version, because clients may have outdated results.
    await inTransaction(scope, async (inside) =>
      addToCounts(inside, resource.type, await loadDrift(inside, resource.type)),
    )
  }
  return records
}

/**
 * Removes index entries without a field or record. The values of archived fields stay: they return with their field.
 */
async function removeLeftovers(inside: Scope): Promise<void> {
  await holdFields(inside)
  // A resource that is new in this version has no fields yet.
  await createDefaultFields(inside)
  const fields = await findAllFields(inside)
  await deleteOtherValues(inside, fields)
  const own = fields.filter(({ type }) => isSearched(type)).map(({ number }) => number)
  const searched = [...resourceFields(inside.schema), ...own]
  const { search } = inside.engine
  await search.keepOnly(inside.db, inside.workspace.number, searched)
  await search.addFields(inside.db, inside.workspace.number, searched)
}

async function reindexSome(
  inside: Scope,
  resource: Resource,
  after: string,
): Promise<{ live: number; last: string | undefined }> {
  await holdFields(inside)
  const fields = await findFields(inside, resource.type)
  const rows = await loadNextRows(inside, resource.type, after)
  const live = rows.filter((row) => row.deleted_at === null)
  await unindexRecords(
    inside,
    live.map((row) => row.number),
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
 * Name keys are only wrong if a new version of Kith folds names differently. Deleted records need them for a restore.
 */
async function correctNameKeys(inside: Scope, resource: Resource, rows: readonly IndexedRow[]): Promise<void> {
  const wrong = rows.flatMap(({ number, label, name_key, duplicate_key }) => {
    const changes = keysOfName(resource, label)
    return name_key === changes.name_key && duplicate_key === changes.duplicate_key ? [] : [{ number, changes }]
  })
  await updateRecords(inside, resource, wrong)
}

/** The source of the index rows and search texts of a live record. Absent parts did not change. */
export type IndexSource = {
  number: number
  created_at: string
  label?: string | undefined
  values: readonly FieldValue[]
  /** All words of the record: see `documentOf`. */
  document?: string | undefined
}

/** The words with which search finds a record, without those of archived fields. */
export function documentOf(label: string, values: readonly FieldValue[]): string {
  const texts = values.flatMap(([{ type }, stored]) => {
    if (fieldTypes[type].searched === undefined) return []
    return typeof stored === 'string' ? [stored] : Array.isArray(stored) ? stored : []
  })
  return searchDocument([label, ...texts])
}

/** Adds records to the index over their values and to the search texts. */
export async function indexRecords(inside: Scope, resource: Resource, records: readonly IndexSource[]): Promise<void> {
  const texts = records.flatMap((record) => searchTexts(resource, record))
  await insertValues(inside, records)
  await inside.engine.search.put(inside.db, inside.workspace.number, texts)
}

/** Removes records from the index over their values and from the search texts. */
export async function unindexRecords(inside: Scope, records: readonly number[]): Promise<void> {
  await removeValuesOf(inside, records)
  await inside.engine.search.removeAll(inside.db, inside.workspace.number, records)
}

/** The texts of a record that `$contains` searches, and its words. */
function searchTexts(resource: Resource, { number: record, label, values, document }: IndexSource): SearchText[] {
  const texts: SearchText[] = []
  if (document !== undefined) texts.push({ record, field: documentField(resource), text: document })
  if (label !== undefined) texts.push({ record, field: labelField(resource), text: fold(label) })
  for (const [field, stored] of values) {
    const text = fieldTypes[field.type].searchText(stored)
    if (text !== null) texts.push({ record, field: field.number, text })
  }
  return texts
}
