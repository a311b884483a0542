import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import { momentOf } from '@kith/contract/id'
import { refuse, refuseValue } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { type FeedHead, findChange, findNextChange, loadFeedHead, loadTimesAt } from '../storage/tables/changes.ts'
import { boundOf, COMPLETE, type FeedPosition, readFeedCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
import { readAt } from './read-part.ts'

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
  if ('since' in from) {
    if (head.complete_from !== null && from.since < head.complete_from) refuseGone('expired', recovery)
    return { epoch, sequence: await firstAtOrAfter(inside, from.since, head) }
  }
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
const TOLERANCE_MS = 10 * 60_000

/** How many changes one statement looks through for the first one at a time or later. */
const LOOKED_THROUGH = 5000

/** The number before the first change at a time or later, as far as the feed goes back. */
async function firstAtOrAfter(inside: Scope, since: string, head: FeedHead): Promise<number> {
  const early = new Date(Date.parse(since) - TOLERANCE_MS).toISOString()
  for (let after = await findBefore(inside, early, head); after < head.sequence; after += LOOKED_THROUGH) {
    const first = await findChange(inside, { after, until: after + LOOKED_THROUGH }, { since })
    if (first !== undefined) return first - 1
  }
  return head.sequence
}

/**
 * A number before which every change was written before a time. The ids of changes begin with the time of the write,
 * so a binary search finds it without an index of the times.
 */
async function findBefore(inside: Scope, time: string, { pruned, sequence }: FeedHead): Promise<number> {
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

type WantedRange = { from_sequence: number; to_sequence: number } | { since: string; until: string }

/** The numbers around a range of changes: after the first, up to the second. What is no longer there is refused. */
export async function findRange(inside: Scope, wanted: WantedRange): Promise<{ after: number; until: number }> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const head = await loadFeedHead(inside)
  if ('from_sequence' in wanted) {
    const { from_sequence, to_sequence } = wanted
    if (from_sequence <= head.pruned) {
      refuseValue('from_sequence', `Changes before ${head.pruned + 1} are no longer in the feed. Begin there or later.`)
    }
    return { after: Math.min(from_sequence - 1, head.sequence), until: Math.min(to_sequence, head.sequence) }
  }
  const { since, until } = wanted
  if (head.complete_from !== null && since < head.complete_from) {
    refuseValue('since', `Changes before ${head.complete_from} are no longer in the feed. Begin there or later.`)
  }
  const after = await firstAtOrAfter(inside, since, head)
  // Changes are not quite in the order of their times.
  const late = new Date(Date.parse(until) + TOLERANCE_MS).toISOString()
  return { after, until: Math.max(after, await firstAtOrAfter(inside, late, head)) }
}

/** The change with an id, if it is in the feed. The id begins with the time of the write. */
export async function findEntry(inside: Scope, id: string): Promise<Entry[]> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const head = await loadFeedHead(inside)
  const time = Date.parse(momentOf(id))
  const [early, late] = [time - TOLERANCE_MS, time + TOLERANCE_MS].map((ms) => new Date(ms).toISOString())
  const end = await findBefore(inside, late ?? '', head)
  for (let after = await findBefore(inside, early ?? '', head); after <= end; after += LOOKED_THROUGH) {
    const sequence = await findChange(inside, { after, until: after + LOOKED_THROUGH }, { id })
    if (sequence !== undefined) return readAt(inside, [sequence])
  }
  return []
}

/**
 * The position at which a reader begins that the server runs: `now`, or a cursor from after the hand-off. What is wrong
 * with it is refused at `path`.
 */
export async function findBeginning(inside: Scope, from: string, path: string): Promise<FeedPosition> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const { epoch, sequence, pruned } = await loadFeedHead(inside)
  if (from === 'now') return { epoch, sequence }
  const position = readFeedCursor(inside, from)
  const how = 'Send now, or the next_cursor of a response in this workspace with "phase": "live".'
  if (!position) return refuseValue(path, `The ${path} is not a cursor of this feed. ${how}`)
  if (position.snapshot)
    refuseValue(path, `The ${path} is a cursor from before the hand-off of an initial sync. ${how}`)
  const isGone = position.epoch !== epoch || position.sequence < pruned
  if (isGone) refuseValue(path, `The ${path} has expired: changes after it are no longer in the feed. ${how}`)
  return { epoch, sequence: position.sequence }
}

/** The highest sequence of the workspace: all that is committed has a number at most as high. */
export async function readHead(scope: Scope): Promise<number> {
  await scope.engine.numberChanges(scope.workspace.id)
  return (await loadFeedHead(scope)).sequence
}

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
