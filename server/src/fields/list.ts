import { parseFieldListing } from '@kith/contract/field-listing'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { PageOf } from '../records/trash/trash.ts'
import type { Scope } from '../scope/scope.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { definitionsOf } from './definitions.ts'
import { type FieldObject, fieldObject } from './present.ts'

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

/** One page of the active fields, in order of resource, then position. */
export async function listFieldDefinitions(scope: Scope, asked: Asked): Promise<PageOf<FieldObject>> {
  requireAbilities(scope, ['read'])
  const listing = parseOrRefuse(asked.issues, (report) => parseFieldListing(asked.raw, report))
  const { entity_type, page, per_page } = listing
  const definitions = await definitionsOf(scope)
  const resources = entity_type ? [entity_type] : resourceNames
  const fields = resources.flatMap((resource) => definitions[resource].list)
  const start = (page - 1) * per_page
  const data = fields.slice(start, start + per_page).map(fieldObject)
  return { data, page, per_page, total: fields.length }
}
