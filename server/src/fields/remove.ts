import { refuseIfAny } from '@kith/contract/refusal'
import { auditField } from '../audit/audit-field.ts'
import type { Scope } from '../scope/scope.ts'
import { markFieldDeleted } from '../storage/tables/custom-fields.ts'
import { removeFieldValues } from '../storage/tables/field-values.ts'
import { changeFields } from './change-fields.ts'
import { isSearched } from './field-types.ts'
import { type FieldAddress, findField, refuseField } from './find-field.ts'

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
