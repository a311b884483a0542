import type { ResourceName } from '@kith/contract/resource'
import { loadLiveCounts } from '../db/counts.ts'
import type { Scope } from '../scope.ts'
import { requireAbilities } from './allow.ts'

/** How many records of each resource there are. */
export function countLive(scope: Scope): Promise<Record<ResourceName, number>> {
  requireAbilities(scope, ['read'])
  return loadLiveCounts(scope)
}
