import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Condition } from '@kith/contract/filter'
import { identityOf } from '@kith/contract/filter-identity'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../scope/scope.ts'
import type { Place } from '../storage/query/order.ts'
import type { WalkStart } from '../storage/tables/key-moves.ts'

/** The beginning of a walk along keys that may change, and when it was. */
export type Begun = WalkStart & { at: number }

/** A place in a list, the direction in which to go on from it, and the walk's beginning where that matters. */
export type Position = { place: Place; backwards: boolean; begun?: Begun }

export type Walked = { resource: Resource; sort: readonly SortKey[]; filter?: Condition }

const MARK_LENGTH = 22

/** An opaque text for a position, signed for one workspace, resource, sort and filter. */
export function writeCursor(scope: Scope, walked: Walked, { place, backwards, begun }: Position): string {
  const parts: Parts = [backwards ? 1 : 0, place.id, place.keys]
  if (begun) parts.push([begun.clock, begun.newest, begun.at, begun.open])
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return text + markOf(scope, walked, text)
}

/** The position of a cursor, or undefined when it was not made by us for this very list. */
export function readCursor(scope: Scope, walked: Walked, cursor: string): Position | undefined {
  const text = cursor.slice(0, -MARK_LENGTH)
  const mark = Buffer.from(cursor.slice(-MARK_LENGTH))
  const expected = Buffer.from(markOf(scope, walked, text))
  if (mark.length !== expected.length || !timingSafeEqual(mark, expected)) return undefined
  // What bears our mark was written above.
  const [backwards, id, keys, begun] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Parts
  const position = { place: { keys, id }, backwards: backwards === 1 }
  if (!begun) return position
  const [clock, newest, at, open = []] = begun
  return { ...position, begun: { clock, newest, at, open } }
}

type Parts = [
  backwards: number,
  id: string,
  keys: readonly string[],
  begun?: [clock: number, newest: string, at: number, open?: readonly number[]],
]

function markOf(scope: Scope, { resource, sort, filter }: Walked, text: string): string {
  const order = sort.map((key) => `${key.descending ? '-' : ''}${key.by === 'field' ? key.field.id : key.name}`)
  const bound = JSON.stringify([scope.workspace.id, resource.type, order, identityOf(filter), text])
  return createHmac('sha256', scope.secret).update(bound).digest('base64url').slice(0, MARK_LENGTH)
}
