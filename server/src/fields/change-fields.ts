import type { Ability } from '@kith/contract/abilities'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { fieldsLock } from '../storage/tables/fields-version.ts'

/** Checks the permission and runs a change of the workspace's fields, one at a time. */
export async function changeFields<T>(
  scope: Scope,
  ability: Ability,
  change: (inside: Scope) => Promise<T>,
): Promise<T> {
  requireAbilities(scope, [ability])
  requirePermission(scope, 'manage_fields')
  return inTransaction(scope, async (inside) => {
    // First: running writes end with the old definitions, and later ones begin with the new.
    await inside.engine.lock(inside.db, [fieldsLock(inside.workspace.id)])
    return change(inside)
  })
}
