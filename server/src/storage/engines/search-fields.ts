import type { Resource, Schema } from '@kith/contract/resource'

/** How many records are enough to choose the best from, if more match. */
export const SOME = 200

/** The search field of the names of a resource. That of a custom field has the number of the field. */
export function labelField({ number }: Pick<Resource, 'number'>): number {
  return -2 * number
}

/** The search field of the words by which search finds a record. */
export function documentField(resource: Pick<Resource, 'number'>): number {
  return labelField(resource) - 1
}

/** The search fields of the resources of a workspace, archived ones included. */
export function resourceFields(schema: Schema): number[] {
  return [...schema.values(), ...schema.archived.values()].flatMap((resource) => [
    labelField(resource),
    documentField(resource),
  ])
}
