import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import { momentOf } from '@kith/contract/id'
import { refuse, refuseValue } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { type FeedHead, findChangeSince, findNextChange } from '../storage/tables/changes.ts'
import { boundOf, COMPLETE, type FeedPosition, readFeedCursor } from './cursor.ts'

/** Where a mirror starts again: everything, from the beginning. */
type Recovery = { head: FeedHead; resync: string }

const NOT_OF_THIS_FEED =
  'The cursor was not made for this feed. Send start, now, or the next_cursor of a response in this workspace.'
const OTHER_SNAPSHOT =
  'Until the hand-off, a cursor of an initial sync is only valid with the same resource and filter. ' +
  'Send them as before, or send start to begin again.'

/** The position where a response begins. Refuses if changes after it are no longer there. */
export async function findPosition(inside: Scope, query: ChangesQuery, recovery: Recovery): Promise<FeedPosition> {
  const { head } = recovery
  const { epoch, sequence } = head
  const { from } = query
  if (from === undefined) throw new Error('A feed without a beginning was not refused.')
  if ('since' in from) return { epoch, sequence: await findSince(inside, from.since, recovery) }
  if (from.cursor === 'now') return { epoch, sequence }
  if (from.cursor === 'start') return { epoch, sequence, snapshot: { resource: 0, after: '', bound: boundOf(query) } }
  const position = readFeedCursor(inside, from.cursor)
  if (!position) return refuseValue('cursor', NOT_OF_THIS_FEED)
  const { snapshot } = position
  const isBound = snapshot && snapshot.resource !== COMPLETE
  if (isBound && snapshot.bound !== boundOf(query)) refuseValue('cursor', OTHER_SNAPSHOT)
  if (position.epoch !== epoch) refuseGone('restored', recovery)
  if (position.sequence < head.pruned) refuseGone('expired', recovery)
  return position
}

/**
 * How far the order of the changes may differ from the order of their times: transactions that take long, and clocks
 * that differ.
 */
export const TOLERANCE_MS = 10 * 60_000

/** How many changes one statement looks through for the first one at a time or later. */
export const LOOKED_THROUGH = 5000

/** The number before the first change at a time or later. */
async function findSince(inside: Scope, since: string, recovery: Recovery): Promise<number> {
  const { head } = recovery
  if (head.complete_from !== null && since < head.complete_from) refuseGone('expired', recovery)
  return firstAtOrAfter(inside, since, head)
}

/** The same, as far as the feed goes back. */
export async function firstAtOrAfter(inside: Scope, since: string, head: FeedHead): Promise<number> {
  const early = new Date(Date.parse(since) - TOLERANCE_MS).toISOString()
  for (let after = await findBefore(inside, early, head); after < head.sequence; after += LOOKED_THROUGH) {
    const first = await findChangeSince(inside, { after, until: after + LOOKED_THROUGH }, since)
    if (first !== undefined) return first - 1
  }
  return head.sequence
}

/**
 * A number before which every change was written before a time. The ids of changes begin with the time of the write,
 * so a binary search finds it without an index of the times.
 */
export async function findBefore(inside: Scope, time: string, { pruned, sequence }: FeedHead): Promise<number> {
  let low = pruned
  let high = sequence
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await findNextChange(inside, middle)
    if (next === undefined || next.sequence > high || momentOf(next.id) >= time) high = middle
    else low = next.sequence
  }
  return low
}

function refuseGone(reason: 'expired' | 'restored', { head, resync }: Recovery): never {
  const why =
    reason === 'restored'
      ? 'The database was restored from a backup after this cursor was made.'
      : 'Changes after this position are no longer in the feed.'
  const message = `${why} Read everything again with cursor=start, and follow its next_cursor.`
  refuse({ kind: 'gone', message, reason, oldest_at: head.complete_from, resync })
}
