import { FIELD_NAME_MAX } from '@kith/contract/limits'
import { attributeNames, includeNames, type Resource } from '@kith/contract/resource'
import { camelCase, codeOfName } from '@kith/contract/resource-code'

/**
 * What the target of a reference field calls its records: "Projects" on companies, or "Projects (Partner)" where that
 * says too little because the target is the resource itself, or has the name already.
 */
export function suggestedInverse(resource: Resource, target: Resource, fieldName: string): string {
  const { name } = resource.row
  if (resource.type !== target.type && !hasName(target, codeOfName(name))) return name
  const detail = fieldName.trim()
  return detail === '' ? name : `${name} (${detail})`.slice(0, FIELD_NAME_MAX)
}

function hasName(resource: Resource, code: string): boolean {
  const names = [...attributeNames(resource), ...includeNames(resource), ...resource.filterables.keys()]
  return [...names, ...Object.keys(resource.links)].some((name) => camelCase(name) === camelCase(code))
}
