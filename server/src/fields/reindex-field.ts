import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { searchTexts } from '../records/effects.ts'
import { parseStored } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { insertValues, removeFieldValues, valueRows } from '../storage/tables/field-values.ts'
import { keepersOf, type ValuesRow, walked } from '../storage/tables/record-values.ts'
import { isSearched } from './field-types.ts'

/**
 * Makes the index of one field anew from what the records hold. While a field is archived nobody keeps its index:
 * records that are deleted or restored meanwhile leave too much in it, or too little.
 */
export async function reindexField(inside: Scope, field: FieldDefinition): Promise<void> {
  await removeFieldValues(inside, field.id)
  const { search } = inside.engine
  if (isSearched(field.type)) {
    await search.removeField(inside.db, inside.workspace.id, field.id)
    await search.addFields(inside.db, inside.workspace.id, [field.id])
  }
  for await (const rows of walked(inside, keepersOf(field))) {
    const holders = rows.flatMap((row) => holding(row, field))
    await insertValues(
      inside,
      holders.flatMap((holder) => valueRows(inside.workspace.id, holder)),
    )
    const resource = registry[field.entity_type]
    const texts = holders.flatMap(({ id, values }) => searchTexts(resource, { id, values }))
    await search.put(inside.db, { workspaceId: inside.workspace.id, table: field.entity_type }, texts)
  }
}

type Holder = { id: string; created_at: string; values: readonly (readonly [FieldDefinition, StoredValue])[] }

function holding(row: ValuesRow, field: FieldDefinition): Holder[] {
  const stored = parseStored(row.custom_fields)[field.key]
  return stored === undefined ? [] : [{ id: row.id, created_at: row.turn, values: [[field, stored]] }]
}
