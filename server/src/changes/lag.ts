import type { Scope } from '../scope/scope.ts'
import { loadFeedHead, loadTimesAt } from '../storage/tables/changes.ts'

/** How far a reader is behind: the number of entries after its position, and the time of the first of them. */
export type FeedLag = { behind: number; oldest_at: string | null }

/** How far some readers are behind, by their positions. */
export async function readLags(
  inside: Scope,
  positions: readonly { epoch: string; sequence: number }[],
): Promise<FeedLag[]> {
  const head = await loadFeedHead(inside)
  // What is no longer in the feed cannot be delivered.
  const places = positions.map(({ epoch, sequence }) =>
    epoch === head.epoch ? Math.max(sequence, head.pruned) : head.pruned,
  )
  const times = await loadTimesAt(inside, [...new Set(places.filter((place) => place < head.sequence).map(next))])
  return places.map((place) => ({
    behind: Math.max(0, head.sequence - place),
    oldest_at: place < head.sequence ? (times.get(next(place)) ?? head.complete_from) : null,
  }))
}

const next = (place: number) => place + 1
