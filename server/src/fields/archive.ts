import { fold } from '@kith/contract/fold'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/effects.ts'
import type { Scope } from '../scope/scope.ts'
import { replaceField, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { countActive } from './draft.ts'
import { type FieldAddress, findField, refuseField } from './find-field.ts'

/** Takes a field out of sight. Its values stay where they are, and it keeps its place for when it comes back. */
export function archiveField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    if (field.archived_at !== null) return field
    if (field.system) refuseField(`${field.name} is a system field. It can be renamed and moved, but not archived.`)
    const at = momentAfter(inside, field.updated_at)
    const archived = { ...field, archived_at: at, updated_at: at }
    await replaceField(inside, { ...archived, name_key: fold(field.name) })
    await shiftFields(inside, field.entity_type, { from: field.position + 1, to: countActive(others) + 1, by: -1 })
    await auditField(inside, 'archive', { field: archived })
    return archived
  })
}
