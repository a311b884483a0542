import { parseFieldListing } from '@kith/contract/field-listing'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import { resourceNames } from '@kith/contract/resource'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { Scope } from '../scope/scope.ts'
import { definitionsOf } from './definitions.ts'
import { type FieldObject, fieldObject } from './present.ts'

type ListedDefinitions = {
  data: FieldObject[]
  page: number
  per_page: number
  total: number
}

/** One page of the active fields, in order of resource, then position. */
export async function listFieldDefinitions(scope: Scope, asked: Asked): Promise<ListedDefinitions> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = [...asked.issues]
  const { entity_type, page, per_page } = parseFieldListing(asked.raw, reportInto(issues))
  refuseIfAny(issues)
  const definitions = await definitionsOf(scope)
  const resources = entity_type ? [entity_type] : resourceNames
  const fields = resources.flatMap((resource) => definitions[resource].list)
  const start = (page - 1) * per_page
  const data = fields.slice(start, start + per_page).map(fieldObject)
  return { data, page, per_page, total: fields.length }
}
