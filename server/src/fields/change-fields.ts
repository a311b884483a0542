import type { Ability } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import type { Issue } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { refuse, refuseValue } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { type Expected, isExpected } from '../records/expected.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { findFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { fieldsLock, loadFieldsVersion } from '../storage/tables/workspaces.ts'
import { fieldTag } from './present.ts'

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

/** Which field is meant. */
export type FieldAddress = {
  entity_type: ResourceName
  code: string
  /** When the caller expects it to have been changed last. */
  expected?: Expected
  /** Problems of the request that come after these checks. */
  issues?: readonly Issue[]
}

/** The field, archived or not, and the others of its resource. Refuses if there is none, or it is not as expected. */
export async function findField(
  scope: Scope,
  { entity_type, code, expected }: FieldAddress,
): Promise<{ field: StoredField; others: StoredField[] }> {
  const fields = await findFields(scope, entity_type)
  const field = fields.find((candidate) => candidate.code === code)
  if (!field) {
    const codes = fields.map((candidate) => candidate.code)
    const message = `No custom field with the code ${excerpt(code)} exists for ${entity_type}.${suggestion(code, codes)}`
    return refuse({ kind: 'not_found', message })
  }
  if (!isExpected(expected, field)) refuseChanged(field)
  return { field, others: fields.filter((candidate) => candidate !== field) }
}

function refuseChanged(field: StoredField): never {
  const { code, updated_at } = field
  const message =
    `The field ${code} was last changed at ${updated_at}, which If-Match does not name. ` +
    'Nothing was written: read the definition again, then decide.'
  refuse({ kind: 'precondition_failed', message, updated_at, tag: fieldTag(field) })
}

/** Refuses an action that the state of the field does not allow. */
export function refuseField(message: string): never {
  return refuseValue('code', message)
}

/** Changes definitions and returns the version that they have then. */
export function withVersion<T>(
  scope: Scope,
  change: (inside: Scope) => Promise<T>,
): Promise<{ changed: T; version: number }> {
  return inTransaction(scope, async (inside) => {
    const changed = await change(inside)
    return { changed, version: await loadFieldsVersion(inside.db, inside.workspace.id) }
  })
}
