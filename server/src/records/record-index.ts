import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { SearchText } from '../storage/engines/engine.ts'
import { insertValues, removeValuesOf, valueRows } from '../storage/tables/field-values.ts'
import type { FieldValue } from './stored-values.ts'

/** What the index rows and search texts of a live record are derived from. Without a label, only its values. */
export type Indexed = { id: string; created_at: string; label?: string | undefined; values: readonly FieldValue[] }

/** Adds records to the index over their values and to the search texts. */
export async function indexRecords(inside: Scope, resource: Resource, records: readonly Indexed[]): Promise<void> {
  const workspaceId = inside.workspace.id
  const rows = records.flatMap((record) => valueRows(workspaceId, record))
  const texts = records.flatMap((record) => searchTexts(resource, record))
  await insertValues(inside, rows)
  await inside.engine.search.put(inside.db, { workspaceId, table: resource.type }, texts)
}

/** Removes records from the index over their values and from the search texts. */
export async function unindexRecords(inside: Scope, { type }: Resource, ids: readonly string[]): Promise<void> {
  await removeValuesOf(inside, ids)
  await inside.engine.search.removeAll(inside.db, { workspaceId: inside.workspace.id, table: type }, ids)
}

/** The texts of a record that `$contains` searches. */
function searchTexts({ type }: Resource, { id, label, values }: Indexed): SearchText[] {
  const texts: SearchText[] = []
  if (label !== undefined) texts.push({ record_id: id, field: type, text: fold(label) })
  for (const [field, stored] of values) {
    const text = fieldTypes[field.type].searchText(stored)
    if (text !== null) texts.push({ record_id: id, field: field.id, text })
  }
  return texts
}
