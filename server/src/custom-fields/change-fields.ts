import { type Ability, roleManages } from '@kith/contract/abilities'
import { refuse } from '@kith/contract/refusal'
import { moveFieldsVersion } from '../db/custom-fields.ts'
import { fieldsLock } from '../db/fields-lock.ts'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope.ts'

/** Runs a change of the workspace's fields for someone who may: one at a time, and under a new version of the definitions. */
export async function changeFields<T>(
  scope: Scope,
  ability: Ability,
  change: (inside: Scope) => Promise<T>,
): Promise<T> {
  requireAbilities(scope, [ability])
  const { role } = scope.actor
  if (!roleManages(role)) {
    const message = `Your role in this workspace (${role}) does not allow you to change custom fields. Ask an owner or an admin.`
    refuse({ kind: 'forbidden', message })
  }
  return inTransaction(scope, async (inside) => {
    // First of all: writes that are under way end by the old definitions, and those that come later begin with the new.
    await inside.engine.lock(inside.db, [fieldsLock(inside.workspace.id)])
    await moveFieldsVersion(inside)
    return change(inside)
  })
}
