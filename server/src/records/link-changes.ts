import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { findExisting, findLinked } from '../storage/tables/links.ts'
import type { LinkChange } from './changes.ts'

/**
 * How lists of ids change a record's links. Links to deleted records are hidden and stay, so that a restore brings
 * them back.
 */
export async function linkChanges(
  inside: Scope,
  resource: Resource,
  { id: recordId, links }: { id: string; links: ReadonlyMap<string, readonly string[]> },
): Promise<LinkChange[]> {
  const changes: LinkChange[] = []
  for (const [key, ids] of links) {
    const list = resource.links[key]
    if (!list) continue
    const linked = new Set(await findLinked(inside, recordId, list.relation))
    const wanted = new Set(ids)
    const leaving = [...linked].filter((id) => !wanted.has(id))
    const seen = await findExisting(inside, list.to, leaving)
    const added = [...wanted].filter((id) => !linked.has(id))
    if (added.length > 0 || seen.size > 0) changes.push({ relation: list.relation, added, removed: [...seen] })
  }
  return changes
}
