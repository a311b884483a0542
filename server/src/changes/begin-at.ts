import { refuseValue } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { type FeedPosition, readFeedCursor } from './cursor.ts'

/**
 * The position at which a reader begins that the server runs: `now`, or a cursor from after the hand-off. What is wrong
 * with it is refused at `path`.
 */
export async function findBeginning(inside: Scope, from: string, path: string): Promise<FeedPosition> {
  await inside.engine.numberChanges(inside.workspace.id)
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
