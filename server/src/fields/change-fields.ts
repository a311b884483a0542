import type { Ability } from '@kith/contract/abilities'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { moveFieldsVersion } from '../storage/tables/custom-fields.ts'
import { fieldsLock } from '../storage/tables/fields-version.ts'

/**
 * Runs a change of the workspace's fields for someone who may: one at a time, and under a new version of the
 * definitions.
 */
export async function changeFields<T>(
  scope: Scope,
  ability: Ability,
  change: (inside: Scope) => Promise<T>,
): Promise<T> {
  requireAbilities(scope, [ability])
  requirePermission(scope, 'manage_fields')
  return inTransaction(scope, async (inside) => {
    // First of all: writes that are under way end by the old definitions, and those that come later begin with the new.
    await inside.engine.lock(inside.db, [fieldsLock(inside.workspace.id)])
    await moveFieldsVersion(inside)
    return change(inside)
  })
}
