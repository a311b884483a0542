import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { requireAbilities } from '../records/allow.ts'
import type { Scope } from '../scope/scope.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'

/** All fields that are not deleted, in order of resource, the archived ones of each after the active ones. */
export async function listFields(scope: Scope, entity_type?: ResourceName): Promise<StoredField[]> {
  requireAbilities(scope, ['read'])
  const fields = await findAllFields(scope)
  const resources = entity_type ? [entity_type] : resourceNames
  return resources.flatMap((resource) => {
    const own = fields.filter((field) => field.entity_type === resource)
    return [...own.filter((field) => field.archived_at === null), ...own.filter((field) => field.archived_at !== null)]
  })
}
