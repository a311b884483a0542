import { newId } from '@kith/contract/id'
import type { DeliveryAttempt, DeliveryState } from '@kith/contract/webhooks/webhook'
import type { BlockedRow } from '../../storage/tables/webhook-blocked.ts'
import { retryAfterMs } from '../send/attempt.ts'
import { type Blocked, keyOf } from './backlog.ts'
import { advance, postpone } from './catch-up.ts'
import { afterFailure, afterSuccess, retryDelay } from './health.ts'
import { type Item, isoNow, type RunState, resetOf } from './run-state.ts'

/** What an attempt means for the endpoint, the log and the next events of the record. */
export function settle(run: RunState, item: Item, made: DeliveryAttempt): void {
  const now = run.parts.runtime.now()
  const at = now.toISOString()
  const isDelivered = made.error === null
  const isNew = !item.blocked && !item.replay
  const blocked = (run.backlog?.blocked.size ?? 0) + Number(isNew)
  run.health = isDelivered
    ? afterSuccess(run.health, at)
    : afterFailure(run.health, { at, gone: made.status === 410, blocked })
  const { retries } = run.parts
  const failing = run.health.state !== 'active'
  const retry = { made: item.number, retries, failing, asked_ms: retryAfterMs(made, now) }
  const delay = isDelivered ? undefined : retryDelay(retry)
  const due_at = delay === undefined ? null : new Date(now.getTime() + delay).toISOString()
  const state = isDelivered ? 'delivered' : due_at === null ? 'failed' : 'waiting'
  const delivery_id = log(run, item, { made, state, next_attempt_at: due_at })
  if (!isDelivered) run.health = { ...run.health, last_failure_id: delivery_id }
  settleRecord(run, item, due_at === null ? undefined : { attempt: item.number, due_at, delivery_id })
  if (run.health.state === 'disabled') void run.finish()
  else run.flushSoon()
}

type Logged = { made: DeliveryAttempt; state: DeliveryState; next_attempt_at: string | null }

function log(run: RunState, item: Item, { made, state, next_attempt_at }: Logged): string {
  const { id: webhook_id } = run.webhook
  const text = JSON.stringify(made)
  if (item.delivery_id !== null) {
    run.unwritten.update({ webhook_id, id: item.delivery_id, state, next_attempt_at, attempt: text })
    return item.delivery_id
  }
  const { record_id = null, sequence = null } = item.entry?.attributes ?? {}
  const id = newId(run.parts.runtime.now().getTime())
  const { id: event_id, type } = item.event
  run.unwritten.add({
    ...{ webhook_id, id, event_id, type, record_id, sequence, state, replay: 0 },
    ...{ created_at: made.at, next_attempt_at, attempts: text },
  })
  run.logged++
  return id
}

type Waits = Pick<BlockedRow, 'attempt' | 'due_at' | 'delivery_id'>

/** `waits`: the event is tried again, and its record waits for it. */
function settleRecord(run: RunState, item: Item, waits: Waits | undefined): void {
  const { backlog, unwritten } = run
  if (item.replay) {
    const { record_id } = item.replay.entry.attributes
    run.replays.ended(item.replay, waits !== undefined)
    if (waits) unwritten.delay({ record_id, until: waits.due_at })
  } else if (item.blocked) {
    unwritten.touch(item.blocked)
    if (waits) postpone(item.blocked, waits)
    else if (resetOf(backlog) === item.blocked) backlog?.unblock(keyOf(item.blocked))
    else advanceBlocked(run, item.blocked)
  } else if (waits) {
    backlog?.block(item.entry, waits)
    unwritten.touch(item.entry.attributes)
  } else {
    backlog?.done(item.entry)
    unwritten.mark()
  }
}

export function advanceBlocked(run: RunState, blocked: Blocked): void {
  advance(blocked, isoNow(run))
  run.unwritten.touch(blocked)
}
