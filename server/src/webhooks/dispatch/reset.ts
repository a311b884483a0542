import { newId } from '@kith/contract/id'
import type { FeedPart } from '../../changes/read-part.ts'
import type { BlockedRow } from '../../storage/tables/webhook-blocked.ts'
import { newBacklog } from './backlog.ts'
import type { RunState } from './run-state.ts'

/**
 * Events are missing: retention or a restore has overtaken the position. The endpoint continues from the oldest entry
 * that exists, and the receiver is told so before it gets others.
 */
export function resetFeed(run: RunState, reason: 'expired' | 'restored', { epoch, pruned }: FeedPart): void {
  const { unwritten, webhook } = run
  const rows = [...(run.backlog?.blocked.values() ?? [])]
  const kept = reason === 'expired' ? rows.filter(({ sequence }) => sequence > pruned) : []
  for (const row of rows) {
    unwritten.touch(row)
    if (kept.includes(row) || row.delivery_id === null) continue
    const given = { webhook_id: webhook.id, id: row.delivery_id, state: 'failed' } as const
    unwritten.update({ ...given, next_attempt_at: null, attempt: '' })
  }
  const at = run.parts.runtime.now()
  const reset: BlockedRow = {
    ...{ resource: `feed.${reason}`, record_id: newId(at.getTime()), sequence: pruned, attempt: 0 },
    ...{ due_at: at.toISOString(), delivery_id: null },
  }
  unwritten.touch(reset)
  run.epoch = epoch
  run.backlog = newBacklog(pruned, [...kept, reset])
  run.again = true
  run.flushSoon()
}
