import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import { identityOf } from '@kith/contract/filter'
import type { Scope } from '../scope/scope.ts'

/** The number of the resource in a place after the whole snapshot. */
export const COMPLETE = -1

/** A place in the snapshot of an initial sync: after a record of one of the resources. */
export type SnapshotPlace = { resource: number; after: string; bound: string }

/** A position in the feed: after a number. Before the hand-off, also the place in the snapshot. */
export type FeedPosition = { epoch: string; sequence: number; snapshot?: SnapshotPlace }

const SIGNATURE_LENGTH = 22
const CURSOR_MAX = 512

/** An opaque text for a position, signed for one workspace. */
export function writeFeedCursor(scope: Scope, { epoch, sequence, snapshot }: FeedPosition): string {
  const place = snapshot ? [snapshot.resource, snapshot.after, snapshot.bound] : []
  const text = Buffer.from(JSON.stringify([epoch, sequence, ...place])).toString('base64url')
  return text + signatureOf(scope, text)
}

/** The position of a cursor, or undefined if it was not made for this workspace. */
export function readFeedCursor(scope: Scope, cursor: string): FeedPosition | undefined {
  if (cursor.length > CURSOR_MAX) return undefined
  const text = cursor.slice(0, -SIGNATURE_LENGTH)
  const signature = Buffer.from(cursor.slice(-SIGNATURE_LENGTH))
  const expected = Buffer.from(signatureOf(scope, text))
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
  // The signature shows that writeFeedCursor wrote it.
  const [epoch, sequence, resource, after, bound] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Parts
  if (resource === undefined || after === undefined || bound === undefined) return { epoch, sequence }
  return { epoch, sequence, snapshot: { resource, after, bound } }
}

type Parts = [epoch: string, sequence: number, resource?: number, after?: string, bound?: string]

function signatureOf({ workspace, secret }: Scope, text: string): string {
  const bound = JSON.stringify(['changes', workspace.id, text])
  return createHmac('sha256', secret).update(bound).digest('base64url').slice(0, SIGNATURE_LENGTH)
}

/** What a place in a snapshot is bound to: the resources and the filter. */
export function boundOf({ resources, filter }: Pick<ChangesQuery, 'resources' | 'filter'>): string {
  const text = JSON.stringify([resources, identityOf(filter)])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
