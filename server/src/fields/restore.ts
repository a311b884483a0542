import { fold } from '@kith/contract/fold'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/effects.ts'
import type { Scope } from '../scope/scope.ts'
import { replaceField, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { countActive } from './draft.ts'
import { type FieldAddress, findField } from './find-field.ts'
import { reindexField } from './reindex-field.ts'

/** Brings an archived field back with its values, to its old place. */
export function restoreField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    if (field.archived_at === null) return field
    const active = countActive(others)
    const position = Math.min(field.position, active + 1)
    const restored = { ...field, position, archived_at: null, updated_at: momentAfter(inside, field.updated_at) }
    await shiftFields(inside, field.entity_type, { from: position, to: active, by: 1 })
    await replaceField(inside, { ...restored, name_key: fold(field.name) })
    await reindexField(inside, restored)
    await auditField(inside, 'restore', { field: restored })
    return restored
  })
}
