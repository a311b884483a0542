import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { SearchField } from './engine.ts'

/** How many records are enough to choose the best from, if more match. */
export const SOME = 200

/** The search field of the words by which search finds a record. That of its label has the name of the resource. */
export function documentField(resource: ResourceName): string {
  return `${resource}.words`
}

/** The search fields that every workspace has. Those of custom fields have the field's id as their name. */
export const resourceFields: readonly SearchField[] = resourceNames.flatMap((table) => [
  { name: table, table },
  { name: documentField(table), table },
])
