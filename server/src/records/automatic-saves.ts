import { momentOf } from '@kith/contract/id'
import { HOUR_MS } from '@kith/contract/limits'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import type { AuditEntry } from '../journal/write.ts'
import type { Scope } from '../scope/scope.ts'
import { findFirstSave } from '../storage/tables/undos.ts'
import { auditChanges, type RecordChange } from './changes.ts'

/**
 * How a save that the application makes by itself is stored: as a part of the change before it, if that is such a save
 * as well, by the same person, of the same attributes, begun less than an hour ago. The record is locked.
 */
export async function saveOf(inside: Scope, resource: Resource, change: RecordChange): Promise<AuditEntry['save']> {
  const { current, changes } = change
  const names = auditChanges(resource, current, changes).map(([name]) => name)
  // These have what is added and removed, which several saves would have to add up.
  if (names.length === 0 || names.some((name) => name in resource.links || name === EXTERNAL_IDS)) return undefined
  const first = await findFirstSave(inside, current)
  return { first: first && isPart(first, { inside, names }) ? first : undefined }
}

function isPart(
  { id, actor_id, changes }: { id: string; actor_id: string | null; changes: string | null },
  { inside, names }: { inside: Scope; names: readonly string[] },
): boolean {
  // Only noteWrite writes them.
  const before = new Set((JSON.parse(changes ?? '[]') as [string][]).map(([name]) => name))
  const isSoon = inside.now().getTime() - Date.parse(momentOf(id)) < HOUR_MS
  return isSoon && actor_id === inside.actor.user_id && before.symmetricDifference(new Set(names)).size === 0
}
