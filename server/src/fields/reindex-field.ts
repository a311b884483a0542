import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { indexRecords } from '../records/record-index.ts'
import { valuesIn } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import { removeFieldValues } from '../storage/tables/field-values.ts'
import { keepersOf, walked } from '../storage/tables/record-values.ts'
import { isSearched } from './field-types.ts'

/**
 * Rebuilds the index of one field from the stored records. The index of an archived field is not maintained: records
 * that are deleted or restored meanwhile leave too many or too few entries.
 */
export async function reindexField(inside: Scope, field: FieldDefinition): Promise<void> {
  await removeFieldValues(inside, field.id)
  if (isSearched(field.type)) {
    const { search } = inside.engine
    await search.removeField(inside.db, inside.workspace.id, field.id)
    await search.addFields(inside.db, inside.workspace.id, [field.id])
  }
  for await (const rows of walked(inside, keepersOf(field))) {
    const records = rows.map((row) => ({ id: row.id, created_at: row.turn, values: valuesIn(row, [field]) }))
    await indexRecords(inside, registry[field.entity_type], records)
  }
}
