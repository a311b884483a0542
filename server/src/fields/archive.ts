import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/changes.ts'
import { documentOf, indexRecords } from '../records/record-index.ts'
import { valuesIn } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import { markFieldDeleted, replaceField, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { removeFieldValues } from '../storage/tables/field-values.ts'
import { keepersOf, walked } from '../storage/tables/record-values.ts'
import { changeFields, type FieldAddress, findField, refuseField } from './change-fields.ts'
import { countActive } from './draft.ts'
import { isSearched } from './field-types.ts'

/** Hides a field. Its values and its position stay, so that it can be restored. */
export function archiveField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'delete', async (inside) => {
    const { field, others } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.archived_at !== null) return field
    if (field.system) refuseField(`${field.name} is a system field. It can be renamed and moved, but not archived.`)
    const at = momentAfter(inside, [field, ...others])
    const archived = { ...field, archived_at: at, updated_at: at }
    await replaceField(inside, archived)
    const shift = { from: field.position + 1, to: countActive(others) + 1, by: -1, at } as const
    const moved = await shiftFields(inside, field.entity_type, shift)
    await hideFromSearch(inside, { field, active: others.filter(isActive) })
    await auditField(inside, 'archive', { field: archived, moved })
    return archived
  })
}

/** Shows an archived field again, with its values and at its old position. */
export function restoreField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.archived_at === null) return field
    const active = countActive(others)
    const position = Math.min(field.position, active + 1)
    const at = momentAfter(inside, [field, ...others])
    const restored = { ...field, position, archived_at: null, updated_at: at }
    const moved = await shiftFields(inside, field.entity_type, { from: position, to: active, by: 1, at })
    await replaceField(inside, restored)
    await reindexField(inside, { field: restored, active: [...others.filter(isActive), restored] })
    await auditField(inside, 'restore', { field: restored, moved })
    return restored
  })
}

function isActive(field: StoredField): boolean {
  return field.archived_at === null
}

/** A field that is shown or hidden, and all fields of its resource that are shown then. */
type Shown = { field: FieldDefinition; active: readonly FieldDefinition[] }

/**
 * Rebuilds the index of one field from the stored records. The index of an archived field is not maintained: records
 * that are deleted or restored meanwhile leave too many or too few entries.
 */
async function reindexField(inside: Scope, { field, active }: Shown): Promise<void> {
  await removeFieldValues(inside, field.id)
  if (isSearched(field.type)) {
    const { search } = inside.engine
    await search.removeField(inside.db, inside.workspace.id, field.id)
    await search.addFields(inside.db, inside.workspace.id, [field.id])
  }
  await indexKeepers(inside, { field, active }, [field])
}

/** Search does not find records by the values of a hidden field. */
async function hideFromSearch(inside: Scope, shown: Shown): Promise<void> {
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

/** Deletes an archived field forever. Its code and name can be used again; later fields do not get its values. */
export function deleteField(scope: Scope, address: FieldAddress): Promise<void> {
  return changeFields(scope, 'delete', async (inside) => {
    const { field } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.system) refuseField(`${field.name} is a system field. It can be renamed and moved, but not deleted.`)
    if (field.archived_at === null) refuseField(`The field ${field.code} must be archived before it can be deleted.`)
    await markFieldDeleted(inside, field.id, inside.now().toISOString())
    await removeFieldValues(inside, field.id)
    if (isSearched(field.type)) await inside.engine.search.removeField(inside.db, inside.workspace.id, field.id)
    await auditField(inside, 'delete', { field })
  })
}
