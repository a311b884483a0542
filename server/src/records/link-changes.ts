import type { RelatedType, Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { findExisting, type Link, loadLinked } from '../storage/tables/links.ts'
import type { LinkChange } from './changes.ts'

/** A record, and the lists of ids that it shall be linked to. */
type Linking = { id: string; links: ReadonlyMap<string, readonly string[]> }

/**
 * How lists of ids change the links of each record. Links to deleted records are hidden and stay, so that a restore
 * brings them back.
 */
export async function linkChanges(
  inside: Scope,
  resource: Resource,
  all: readonly Linking[],
): Promise<ReadonlyMap<string, LinkChange[]>> {
  const linking = all.filter(({ links }) => links.size > 0)
  if (linking.length === 0) return new Map()
  const lists = Object.entries(resource.links).filter(([key]) => linking.some(({ links }) => links.has(key)))
  const linked = await loadLinked(
    inside,
    linking.map(({ id }) => id),
    lists.map(([, { relation }]) => relation),
  )
  const held = Map.groupBy(linked, (link) => nameOf(link))
  const changes = new Map<string, LinkChange[]>()
  for (const [key, { relation, to }] of lists) {
    const wishes = linking.flatMap(({ id, links }) => {
      const wanted = links.get(key)
      const own = held.get(nameOf({ from_id: id, relation })) ?? []
      return wanted ? [{ id, wanted: new Set(wanted), own: new Set(own.map((link) => link.to_id)) }] : []
    })
    const seen = await findLeaving(inside, to, wishes)
    for (const { id, wanted, own } of wishes) {
      const added = [...wanted.difference(own)]
      const removed = [...own.difference(wanted)].filter((one) => seen.has(one))
      if (added.length + removed.length === 0) continue
      changes.getOrInsertComputed(id, () => []).push({ relation, added, removed })
    }
  }
  return changes
}

function nameOf({ from_id, relation }: Pick<Link, 'from_id' | 'relation'>): string {
  return `${from_id} ${relation}`
}

/** Those of the records that are no longer linked to that a reader sees. */
function findLeaving(
  inside: Scope,
  to: RelatedType,
  wishes: readonly { wanted: Set<string>; own: Set<string> }[],
): Promise<Set<string>> {
  const leaving = new Set(wishes.flatMap(({ wanted, own }) => [...own.difference(wanted)]))
  return findExisting(inside, to, [...leaving])
}
