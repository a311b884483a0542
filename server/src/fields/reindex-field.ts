import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import { documentOf, indexRecords } from '../records/record-index.ts'
import { valuesIn } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import { removeFieldValues } from '../storage/tables/field-values.ts'
import { keepersOf, walked } from '../storage/tables/record-values.ts'
import { isSearched } from './field-types.ts'

/** A field that is shown or hidden, and all fields of its resource that are shown then. */
type Shown = { field: FieldDefinition; active: readonly FieldDefinition[] }

/**
 * Rebuilds the index of one field from the stored records. The index of an archived field is not maintained: records
 * that are deleted or restored meanwhile leave too many or too few entries.
 */
export async function reindexField(inside: Scope, { field, active }: Shown): Promise<void> {
  await removeFieldValues(inside, field.id)
  if (isSearched(field.type)) {
    const { search } = inside.engine
    await search.removeField(inside.db, inside.workspace.id, field.id)
    await search.addFields(inside.db, inside.workspace.id, [field.id])
  }
  await indexKeepers(inside, { field, active }, [field])
}

/** Search does not find records by the values of a hidden field. */
export async function hideFromSearch(inside: Scope, shown: Shown): Promise<void> {
  if (fieldTypes[shown.field.type].searched !== undefined) await indexKeepers(inside, shown, [])
}

/** Indexes these values of the records that hold the field, and all their words. */
async function indexKeepers(inside: Scope, { field, active }: Shown, indexed: readonly FieldDefinition[]) {
  for await (const rows of walked(inside, keepersOf(field))) {
    const records = rows.map((row) => {
      const document = documentOf(row.label, valuesIn(row, active))
      return { id: row.id, created_at: row.turn, values: valuesIn(row, indexed), document }
    })
    await indexRecords(inside, registry[field.entity_type], records)
  }
}
