import type { ResourceName } from '@kith/contract/resource'

/** Screens of a workspace whose names are also codes that a resource can have. */
const screens: ReadonlySet<string> = new Set(['duplicates', 'settings'])

/** The segment of an address that means a resource. No code has a hyphen. */
function segmentOf(resource: ResourceName): string {
  return screens.has(resource) ? `${resource}-` : resource
}

/** How the router reads and writes the resource of an address. */
export const resourceParams = {
  parse: ({ resource }: { resource: string }) => ({ resource: resource.replace(/-$/, '') }),
  stringify: ({ resource }: { resource: ResourceName }) => ({ resource: segmentOf(resource) }),
}

/** The address of the list of a resource, or of a record. */
export function pathOf(slug: string, resource: ResourceName, id?: string): string {
  return [`/${slug}/${segmentOf(resource)}`, ...(id === undefined ? [] : [id])].join('/')
}
