import { refuseIfAny } from '@kith/contract/refusal'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/moment-after.ts'
import type { Scope } from '../scope/scope.ts'
import { replaceField, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { countActive } from './draft.ts'
import { type FieldAddress, findField, refuseField } from './find-field.ts'
import { hideFromSearch, reindexField } from './reindex-field.ts'

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
