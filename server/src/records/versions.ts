import { perResource, type ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadLiveCounts, loadVersions } from '../storage/tables/counts.ts'
import { requireAbilities } from './allow.ts'

/** A number for each resource, one for the members and one for the field definitions. It grows with every change. */
export type RecordVersions = Readonly<Record<ResourceName | 'users' | 'fields', number>>

/** Reads all versions in one statement. Live updates compare them to find what has changed. */
export async function recordVersions(scope: Scope): Promise<RecordVersions> {
  requireAbilities(scope, ['read'])
  return { ...perResource(() => 0), users: 0, fields: 0, ...(await loadVersions(scope)) }
}

/** How many records of each resource there are. */
export function countLive(scope: Scope): Promise<Record<ResourceName, number>> {
  requireAbilities(scope, ['read'])
  return loadLiveCounts(scope)
}
