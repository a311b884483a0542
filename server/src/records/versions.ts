import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadVersions } from '../storage/tables/counts.ts'
import { requireAbilities } from './allow.ts'

/** A number for each resource, and one for the field definitions, that moves with every change. */
export type RecordVersions = Readonly<Record<ResourceName | 'fields', number>>

/** Tells what has changed since it was last asked, in one statement: for screens that show other people's changes. */
export async function recordVersions(scope: Scope): Promise<RecordVersions> {
  requireAbilities(scope, ['read'])
  return { companies: 0, people: 0, opportunities: 0, tasks: 0, notes: 0, fields: 0, ...(await loadVersions(scope)) }
}
