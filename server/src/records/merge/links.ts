import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { loadLinksFrom } from '../../storage/tables/merge-moves.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import type { LinkChange } from '../changes.ts'
import { linkChanges } from '../link-changes.ts'

type Requested = {
  winner: StoredRecord
  losers: readonly StoredRecord[]
  chosen: ReadonlyMap<string, readonly string[]>
}

/**
 * The winner's links to others. A chosen list replaces its own, other lists are joined with those of the losers.
 */
export async function mergedLinks(
  inside: Scope,
  resource: Resource,
  { winner, losers, chosen }: Requested,
): Promise<LinkChange[]> {
  if (Object.keys(resource.links).length === 0) return []
  const changes = [...((await linkChanges(inside, resource, [{ id: winner.id, links: chosen }])).get(winner.id) ?? [])]
  const links = await loadLinksFrom(inside, [winner.id, ...losers.map((loser) => loser.id)])
  for (const [key, { relation }] of Object.entries(resource.links)) {
    if (chosen.has(key)) continue
    const all = links.filter((link) => link.relation === relation)
    const own = new Set(all.filter((link) => link.from_id === winner.id).map((link) => link.to_id))
    const added = [...new Set(all.map((link) => link.to_id))].filter((id) => !own.has(id))
    if (added.length > 0) changes.push({ relation, added, removed: [] })
  }
  return changes
}
