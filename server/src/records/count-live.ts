import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { requireAbilities } from './allow.ts'

/** How many records of each resource there are. */
export function countLive(scope: Scope): Promise<Record<ResourceName, number>> {
  requireAbilities(scope, ['read'])
  return loadLiveCounts(scope)
}
