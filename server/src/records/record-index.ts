import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import type { Resource } from '@kith/contract/resource'
import { searchDocument } from '@kith/contract/search-words'
import type { Scope } from '../scope/scope.ts'
import type { SearchText } from '../storage/engines/engine.ts'
import { documentField } from '../storage/engines/search-fields.ts'
import { insertValues, removeValuesOf } from '../storage/tables/field-values.ts'
import type { FieldValue } from './stored-values.ts'

/** What the index rows and search texts of a live record are derived from. What is absent did not change. */
export type Indexed = {
  id: string
  created_at: string
  label?: string | undefined
  values: readonly FieldValue[]
  /** All its words: see `documentOf`. */
  document?: string | undefined
}

/** The words by which search finds a record. Those of archived fields are not among them. */
export function documentOf(label: string, values: readonly FieldValue[]): string {
  const texts = values.flatMap(([{ type }, stored]) => {
    if (fieldTypes[type].searched === undefined) return []
    return typeof stored === 'string' ? [stored] : Array.isArray(stored) ? stored : []
  })
  return searchDocument([label, ...texts])
}

/** Adds records to the index over their values and to the search texts. */
export async function indexRecords(inside: Scope, resource: Resource, records: readonly Indexed[]): Promise<void> {
  const workspaceId = inside.workspace.id
  const texts = records.flatMap((record) => searchTexts(resource, record))
  await insertValues(inside, records)
  await inside.engine.search.put(inside.db, { workspaceId, table: resource.type }, texts)
}

/** Removes records from the index over their values and from the search texts. */
export async function unindexRecords(inside: Scope, { type }: Resource, ids: readonly string[]): Promise<void> {
  await removeValuesOf(inside, ids)
  await inside.engine.search.removeAll(inside.db, { workspaceId: inside.workspace.id, table: type }, ids)
}

/** The texts of a record that `$contains` searches, and its words. */
function searchTexts({ type }: Resource, { id, label, values, document }: Indexed): SearchText[] {
  const texts: SearchText[] = []
  if (document !== undefined) texts.push({ record_id: id, field: documentField(type), text: document })
  if (label !== undefined) texts.push({ record_id: id, field: type, text: fold(label) })
  for (const [field, stored] of values) {
    const text = fieldTypes[field.type].searchText(stored)
    if (text !== null) texts.push({ record_id: id, field: field.id, text })
  }
  return texts
}
