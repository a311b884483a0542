import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Condition, identityOf } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { Place } from '../storage/query/order.ts'
import type { FeedHead } from '../storage/tables/changes.ts'
import type { WalkStart } from '../storage/tables/key-moves.ts'

/** The start of a walk along keys that may change, and its time. */
export type Begun = WalkStart & { at: number }

/** A place in the changes feed. */
export type FeedPlace = Pick<FeedHead, 'epoch' | 'sequence'>

/**
 * A place in a list, the direction from there, the start of the walk if keys may change, and the place in the changes
 * feed before its first page.
 */
export type Position = { place: Place; backwards: boolean; begun?: Begun; feed?: FeedPlace }

export type Walked = { resource: Resource; sort: readonly SortKey[]; filter?: Condition }

const SIGNATURE_LENGTH = 22

/** An opaque text for a position, signed for one workspace, resource, sort and filter. */
export function writeCursor(scope: Scope, walked: Walked, { place, backwards, begun, feed }: Position): string {
  const start: Start = begun ? [begun.clock, begun.newest, begun.at, begun.open] : null
  const parts: Parts = [backwards ? 1 : 0, place.id, place.keys, start]
  if (feed) parts.push([feed.sequence, feed.epoch])
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return text + signatureOf(scope, walked, text)
}

/** The position of a cursor, or undefined if this service did not sign it for this list. */
export function readCursor(scope: Scope, walked: Walked, cursor: string): Position | undefined {
  const text = cursor.slice(0, -SIGNATURE_LENGTH)
  const signature = Buffer.from(cursor.slice(-SIGNATURE_LENGTH))
  const expected = Buffer.from(signatureOf(scope, walked, text))
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
  // The signature shows that writeCursor wrote it.
  const [backwards, id, keys, begun, feed] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Parts
  const position = {
    place: { keys, id },
    backwards: backwards === 1,
    ...(feed && { feed: { sequence: feed[0], epoch: feed[1] } }),
  }
  if (!begun) return position
  const [clock, newest, at, open = []] = begun
  return { ...position, begun: { clock, newest, at, open } }
}

type Start = [clock: number, newest: string, at: number, open?: readonly number[]] | null

/** Cursors of earlier versions lack the last parts. */
type Parts = [
  backwards: number,
  id: string,
  keys: readonly string[],
  begun?: Start,
  feed?: [sequence: number, epoch: string],
]

function signatureOf(scope: Scope, { resource, sort, filter }: Walked, text: string): string {
  const order = sort.map((key) => `${key.descending ? '-' : ''}${key.by === 'field' ? key.field.id : key.name}`)
  const bound = JSON.stringify([scope.workspace.id, resource.type, order, identityOf(filter), text])
  return createHmac('sha256', scope.secret).update(bound).digest('base64url').slice(0, SIGNATURE_LENGTH)
}
