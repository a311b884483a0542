import type { Condition } from './filter.ts'

/** One text for one filter, however it was written; definitions are in it by their id. */
export function identityOf(filter: Condition | undefined): string {
  return filter === undefined ? '' : JSON.stringify(filter, byIdentity)
}

function byIdentity(key: string, value: unknown): unknown {
  if (key === 'field' && typeof value === 'object' && value !== null && 'id' in value) return value.id
  if (key === 'resource' && typeof value === 'object' && value !== null && 'type' in value) return value.type
  // The resource and the relation's name say it all.
  return key === 'relation' ? undefined : value
}
