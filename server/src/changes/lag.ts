import type { Scope } from '../scope/scope.ts'
import { loadFeedHead, loadTimesAt } from '../storage/tables/changes.ts'

/** How far a reader is behind: the number of entries after its position, and the time of the oldest it waits for. */
type FeedLag = { behind: number; oldest_at: string | null }

/** A position in the feed. `oldest` is the number of an entry before it that the reader still waits for. */
type Place = { epoch: string; sequence: number; oldest?: number | undefined }

/** How far some readers are behind, by their positions. */
export async function readLags(inside: Scope, positions: readonly Place[]): Promise<FeedLag[]> {
  const head = await loadFeedHead(inside)
  const places = positions.map(({ epoch, sequence, oldest = Number.POSITIVE_INFINITY }) => {
    // What is no longer in the feed cannot be delivered.
    const place = epoch === head.epoch ? Math.max(sequence, head.pruned) : head.pruned
    return {
      behind: Math.max(0, head.sequence - place),
      oldest: Math.max(head.pruned, Math.min(place, oldest - 1)) + 1,
    }
  })
  const waits = places.filter(({ oldest }) => oldest <= head.sequence)
  const times = await loadTimesAt(inside, [...new Set(waits.map(({ oldest }) => oldest))])
  return places.map(({ behind, oldest }) => ({
    behind,
    oldest_at: oldest <= head.sequence ? (times.get(oldest) ?? head.complete_from) : null,
  }))
}
