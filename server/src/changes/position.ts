import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import { identityOf } from '@kith/contract/filter'
import { momentOf } from '@kith/contract/id'
import { refuse, refuseValue } from '@kith/contract/refusal'
import type { Scope, Tenancy } from '../scope/scope.ts'
import {
  type FeedHead,
  type FeedPlace,
  findChange,
  findLastLate,
  findLateChange,
  findNextChange,
  loadFeedHead,
} from '../storage/tables/changes.ts'
import { type Entry, readAt } from './read-part.ts'

/** The data for a mirror that must start again from the beginning. */
type Recovery = { head: FeedHead; resync: string }

const NOT_OF_THIS_FEED =
  'The cursor was not made for this feed. Send start, now, or the next_cursor of a response in this workspace.'

const OTHER_SNAPSHOT =
  'Until the hand-off, a cursor of an initial sync is only valid with the same resource and filter. ' +
  'Send them as before, or send start to begin again.'

/** The position where a response begins. Refuses if changes after it have expired. */
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
  if (from.cursor === 'start')
    return { epoch, sequence, snapshot: { resource: query.resources[0] ?? COMPLETE, after: '', bound: boundOf(query) } }
  const position = readFeedCursor(inside, from.cursor)
  if (!position) return refuseValue('cursor', NOT_OF_THIS_FEED)
  const { snapshot } = position
  const isBound = snapshot && snapshot.resource !== COMPLETE
  if (isBound && snapshot.bound !== boundOf(query)) refuseValue('cursor', OTHER_SNAPSHOT)
  if (position.epoch !== epoch) refuseGone('restored', recovery)
  if (position.sequence < head.expired_until) refuseGone('expired', recovery)
  return position
}

/** The sequence before the first change at or after a time, as far as the feed goes back. */
function firstAtOrAfter(inside: Scope, since: string, head: FeedHead): Promise<number> {
  return findBefore(inside, head, ({ latest_at }) => latest_at >= since)
}

/**
 * Binary search for the sequence before the first change for which `isTrue` holds. It must hold for all later changes.
 */
async function findBefore(
  inside: Scope,
  { expired_until, sequence }: FeedHead,
  isTrue: (place: FeedPlace) => boolean,
): Promise<number> {
  let low = expired_until
  let high = sequence
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await findNextChange(inside, middle)
    if (next === undefined || next.sequence > high || isTrue(next)) high = middle
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

/**
 * The sequences around a range of changes: after the first, up to the second. Refuses if a part of it has expired. A
 * range of times may contain changes from before and after it: times are not in order if a clock was set back.
 */
export async function findRange(
  inside: Scope,
  wanted: { from_sequence: number; to_sequence: number } | { since: string; until: string },
): Promise<{ after: number; until: number }> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const head = await loadFeedHead(inside)
  if ('from_sequence' in wanted) {
    const { from_sequence, to_sequence } = wanted
    if (from_sequence <= head.expired_until) {
      refuseValue(
        'from_sequence',
        `Changes before ${head.expired_until + 1} are no longer in the feed. Begin there or later.`,
      )
    }
    return { after: Math.min(from_sequence - 1, head.sequence), until: Math.min(to_sequence, head.sequence) }
  }
  const { since, until } = wanted
  if (head.complete_from !== null && since < head.complete_from) {
    refuseValue('since', `Changes before ${head.complete_from} are no longer in the feed. Begin there or later.`)
  }
  const after = await firstAtOrAfter(inside, since, head)
  const end = await findBefore(inside, head, ({ latest_at }) => latest_at > until)
  return { after, until: Math.max(after, end, (await findLastLate(inside, wanted)) ?? 0) }
}

/**
 * How far the order of the changes may differ from the order of their times, because of long transactions and different
 * clocks.
 */
const TOLERANCE_MS = 10 * 60_000

/** How many changes one statement searches for an id. */
const LOOKED_THROUGH = 5000

/** The change with an id, if it is in the feed. The id begins with the time of the change or of the write. */
export async function findEntry(inside: Scope, id: string): Promise<Entry[]> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const head = await loadFeedHead(inside)
  const at = momentOf(id)
  const time = Date.parse(at)
  const [first, last] = [time - TOLERANCE_MS, time + TOLERANCE_MS].map((ms) => new Date(ms).toISOString())
  const written = (from = '') =>
    findBefore(inside, head, (place) => place.latest_at >= from || momentOf(place.id) >= from)
  const end = await written(last)
  for (let after = await written(first); after <= end; after += LOOKED_THROUGH) {
    const sequence = await findChange(inside, id, { after, until: after + LOOKED_THROUGH })
    if (sequence !== undefined) return readAt(inside, [sequence])
  }
  const late = await findLateChange(inside, id, at)
  return late === undefined ? [] : readAt(inside, [late])
}

/**
 * The position at which a reader inside the server begins: `now`, or a cursor from after the hand-off. Problems are
 * reported at `path`.
 */
export async function findBeginning(inside: Scope, from: string, path: string): Promise<FeedPosition> {
  await inside.engine.numberChanges(inside.workspace.id, 'transaction')
  const { epoch, sequence, expired_until } = await loadFeedHead(inside)
  if (from === 'now') return { epoch, sequence }
  const position = readFeedCursor(inside, from)
  const how = 'Send now, or the next_cursor of a response in this workspace with "phase": "live".'
  if (!position) return refuseValue(path, `The ${path} is not a cursor of this feed. ${how}`)
  if (position.snapshot)
    refuseValue(path, `The ${path} is a cursor from before the hand-off of an initial sync. ${how}`)
  const isGone = position.epoch !== epoch || position.sequence < expired_until
  if (isGone) refuseValue(path, `The ${path} has expired: changes after it are no longer in the feed. ${how}`)
  return { epoch, sequence: position.sequence }
}

/** The highest sequence of the workspace. It includes all committed changes. */
export async function readHead(scope: Tenancy): Promise<number> {
  await scope.engine.numberChanges(scope.workspace.id)
  return (await loadFeedHead(scope)).sequence
}

/**
 * The lag of a reader: the number of entries after its position, and the time of the oldest entry that it waits for.
 */
type FeedLag = { behind: number; oldest_at: string | null }

/** A position in the feed. `oldest` is the sequence of an earlier entry that the reader still waits for. */
type Place = { epoch: string; sequence: number; oldest?: number | undefined }

/** The lags of some readers, by their positions. */
export async function readLags(inside: Scope, positions: readonly Place[]): Promise<FeedLag[]> {
  const head = await loadFeedHead(inside)
  const places = positions.map(({ epoch, sequence, oldest = Number.POSITIVE_INFINITY }) => {
    // Expired entries cannot be delivered.
    const place = epoch === head.epoch ? Math.max(sequence, head.expired_until) : head.expired_until
    return {
      behind: Math.max(0, head.sequence - place),
      oldest: Math.max(head.expired_until, Math.min(place, oldest - 1)) + 1,
    }
  })
  const waits = places.filter(({ oldest }) => oldest <= head.sequence)
  const entries = await readAt(inside, [...new Set(waits.map(({ oldest }) => oldest))])
  const times = new Map(entries.map(({ attributes: { sequence, at } }) => [sequence, at]))
  return places.map(({ behind, oldest }) => ({
    behind,
    oldest_at: oldest <= head.sequence ? (times.get(oldest) ?? head.complete_from) : null,
  }))
}

/** The resource of a position after the whole snapshot. */
export const COMPLETE = ''

/** A position in the snapshot of an initial sync: after a record of one of the resources. */
export type SnapshotPlace = { resource: string; after: string; bound: string }

/** A position in the feed: after a sequence. Before the hand-off, also the position in the snapshot. */
export type FeedPosition = { epoch: string; sequence: number; snapshot?: SnapshotPlace }

const SIGNATURE_LENGTH = 22

const CURSOR_MAX = 512

/** An opaque text for a position, signed for one workspace. */
export function writeFeedCursor(scope: Tenancy, { epoch, sequence, snapshot }: FeedPosition): string {
  const place = snapshot ? [snapshot.resource, snapshot.after, snapshot.bound] : []
  const text = Buffer.from(JSON.stringify([epoch, sequence, ...place])).toString('base64url')
  return text + signatureOf(scope, text)
}

/** The position of a cursor, or undefined if it was not made for this workspace. */
function readFeedCursor(scope: Scope, cursor: string): FeedPosition | undefined {
  if (cursor.length > CURSOR_MAX) return undefined
  const text = cursor.slice(0, -SIGNATURE_LENGTH)
  const signature = Buffer.from(cursor.slice(-SIGNATURE_LENGTH))
  const expected = Buffer.from(signatureOf(scope, text))
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
  // The signature shows that writeFeedCursor wrote it.
  const [epoch, sequence, resource, after, bound] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
    epoch: string,
    sequence: number,
    resource?: string,
    after?: string,
    bound?: string,
  ]
  if (resource === undefined || after === undefined || bound === undefined) return { epoch, sequence }
  return { epoch, sequence, snapshot: { resource, after, bound } }
}

function signatureOf({ workspace, secret }: Tenancy, text: string): string {
  const bound = JSON.stringify(['changes', workspace.id, text])
  return createHmac('sha256', secret).update(bound).digest('base64url').slice(0, SIGNATURE_LENGTH)
}

/** A hash of the chosen resources and the filter. A position in a snapshot is only valid with the same ones. */
function boundOf({ resources, everything, filter }: ChangesQuery): string {
  const text = JSON.stringify([everything ? '*' : resources, identityOf(filter)])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
