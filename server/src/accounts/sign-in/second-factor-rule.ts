import { refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../../audit/write.ts'
import { requirePermission } from '../../records/allow.ts'
import { readInput } from '../../scope/read-input.ts'
import { inTransaction, type Scope } from '../../scope/scope.ts'
import { findWorkspaceBySlug, updateWorkspace } from '../../storage/tables/workspaces.ts'
import { hasSecondFactor } from './factors.ts'

/** Sets whether members need a second factor. An admin who requires it must have one. */
export function setSecondFactorRule(scope: Scope, input: unknown): Promise<{ required: boolean }> {
  requirePermission(scope, 'manage_workspace')
  const required = readInput(input, (fields) => {
    if (fields.raw('required') === undefined) fields.report('required', 'The required is required: true or false.')
    return fields.flag('required', false)
  })
  return inTransaction(scope, async (inside) => {
    const { id, slug, name } = inside.workspace
    const before = (await findWorkspaceBySlug(inside.db, slug))?.require_second_factor === 1
    if (required && !(await hasSecondFactor(inside.db, inside.actor.user_id)))
      refuseValue('required', 'Set up a second factor for yourself first, under Settings, Password and sign-in.')
    if (required !== before) {
      await updateWorkspace(inside.db, id, { require_second_factor: required ? 1 : 0 })
      const entry = { action: 'update', resource: 'workspace', record_id: id, name } as const
      await noteWrite(inside, [{ ...entry, changes: [['require_second_factor', before, required]] }])
    }
    return { required }
  })
}
