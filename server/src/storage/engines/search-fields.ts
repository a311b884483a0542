import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'

/** How many records are enough to choose the best from, if more match. */
export const SOME = 200

/** The search field of the names of a resource. That of a custom field has the number of the field. */
export function labelField(resource: ResourceName): number {
  return -2 * registry[resource].number
}

/** The search field of the words by which search finds a record. */
export function documentField(resource: ResourceName): number {
  return labelField(resource) - 1
}

/** The search fields that every workspace has. */
export const resourceFields: readonly number[] = resourceNames.flatMap((name) => [
  labelField(name),
  documentField(name),
])
