import { excerpt } from '@kith/contract/excerpt'
import { suggestion } from '@kith/contract/nearest'
import { refuse } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { findFields, type StoredField } from '../storage/tables/custom-fields.ts'

/** Which field is meant. */
export type FieldAddress = { entity_type: ResourceName; code: string }

/** The field, archived or not, and the others of its resource. Refuses when there is none. */
export async function findField(
  scope: Scope,
  { entity_type, code }: FieldAddress,
): Promise<{ field: StoredField; others: StoredField[] }> {
  const fields = await findFields(scope, entity_type)
  const field = fields.find((candidate) => candidate.code === code)
  if (!field) {
    const codes = fields.map((candidate) => candidate.code)
    const message = `No custom field with the code ${excerpt(code)} exists for ${entity_type}.${suggestion(code, codes)}`
    return refuse({ kind: 'not_found', message })
  }
  return { field, others: fields.filter((candidate) => candidate !== field) }
}

/** Refuses an action that the state of the field does not allow. */
export function refuseField(message: string): never {
  return refuse({ kind: 'invalid', issues: [{ path: 'code', message }] })
}
