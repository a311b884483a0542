import { newId } from '@kith/contract/id'
import type { DeliveryAttempt, DeliveryState } from '@kith/contract/webhooks/webhook'
import { writeFeedCursor } from '../../changes/position.ts'
import { type ScopeFacts, tenancyFor } from '../../scope/scope.ts'
import type { BlockedRow } from '../../storage/tables/webhooks.ts'
import { resetEvent, retryAfterMs, type WebhookEvent } from '../attempt.ts'
import { afterFailure, afterSuccess, disabled, retryDelay } from './health.ts'
import { abandonReplay, advance, prepare } from './read.ts'
import { type BlockedRecord, type Item, isOpen, isoNow, isReset, keyOf, type Lane, type Run, resetOf } from './run.ts'

/** The events that can be sent now. Those of blocked records come first, and replays are sent next to the others. */
export function nextItems(run: Run): Item[] {
  const { webhook, replays } = run
  if (!isOpen(run)) return []
  const isActive = webhook.state === 'active'
  const room = (isActive ? webhook.max_in_flight : 1) - run.sending.size
  const again = isActive ? freeItems(replays.waiting, replays, webhook.max_in_flight - replays.sending.size) : []
  const reset = resetOf(run)
  if (reset) {
    const key = keyOf(reset)
    return room > 0 && reset.due_at <= isoNow(run) && !run.sending.has(key) ? [{ key }, ...again] : again
  }
  const retries = freeItems(run.retries, run, room)
  const fresh = isActive ? freeItems(run.fresh, run, room - retries.length) : []
  return [...retries, ...fresh, ...again]
}

/** The first items whose record has no request in progress. */
function freeItems(queue: readonly Item[], { sending }: Lane, count: number): Item[] {
  const seen = new Set<string>()
  const free: Item[] = []
  for (const item of queue) {
    if (free.length >= count) break
    if (!sending.has(item.key) && !seen.has(item.key)) free.push(item)
    seen.add(item.key)
  }
  return free
}

/** Sends as many of the next events as may be sent at once. */
export async function send(run: Run, facts: ScopeFacts): Promise<void> {
  const items = nextItems(run)
  if (items.length === 0) return
  const events = await prepare(run, items, facts)
  if (!events) {
    run.webhook = disabled(run.webhook, 'filter')
    return
  }
  if (!isOpen(run)) return
  const started = new Set(items)
  run.fresh = run.fresh.filter((item) => !started.has(item))
  run.retries = run.retries.filter((item) => !started.has(item))
  run.replays.waiting = run.replays.waiting.filter((item) => !started.has(item))
  for (const item of items) {
    const blocked = item.replay ? undefined : run.blocked.get(item.key)
    const event = item.entry ? events.get(item.entry.id) : blocked && resetNotice(run, blocked, facts)
    if (event) sendOne(run, item, event)
    else if (item.replay) abandonReplay(run, item.replay)
    else if (blocked) advance(run, blocked)
  }
  run.parts.store.soon(run)
}

function resetNotice(run: Run, { record_id: id, resource, sequence }: BlockedRecord, facts: ScopeFacts): WebhookEvent {
  const { parts, webhook } = run
  const cursor = writeFeedCursor(tenancyFor(parts.runtime, facts), { epoch: webhook.epoch, sequence })
  const reason = resource === 'feed.restored' ? 'restored' : 'expired'
  return resetEvent({ id, at: isoNow(run), reason, resync: parts.resync, cursor })
}

function laneOf(run: Run, { replay }: Item): Lane {
  return replay ? run.replays : run
}

function sendOne(run: Run, item: Item, event: WebhookEvent): void {
  const { parts, webhook } = run
  const { key, replay } = item
  laneOf(run, item).sending.set(key, item)
  const made = replay ? JSON.parse(`[${replay.attempts}]`).length : (run.blocked.get(key)?.attempt ?? 0)
  parts
    .attempt({ webhook, event, number: made + 1, replay: replay !== undefined })
    .then((attempt) => {
      if (!run.isLost) settle(run, item, { event, number: made + 1, attempt })
      laneOf(run, item).sending.delete(key)
      run.alarm.wake()
    })
    .catch(parts.onFailure)
}

type Attempt = { event: WebhookEvent; number: number; attempt: DeliveryAttempt }

/** What an attempt means for the endpoint, the log and the next events of the record. */
function settle(run: Run, item: Item, { event, number, attempt }: Attempt): void {
  const { retries, runtime } = run.parts
  const now = runtime.now()
  const at = now.toISOString()
  const isDelivered = attempt.error === null
  const isNew = !item.replay && !run.blocked.has(item.key)
  const blocked = run.blocked.size + Number(isNew)
  run.webhook = isDelivered
    ? afterSuccess(run.webhook, at)
    : afterFailure(run.webhook, { at, gone: attempt.status === 410, blocked })
  const failing = run.webhook.state !== 'active'
  const delay = isDelivered
    ? undefined
    : retryDelay({ made: number, retries, failing, asked_ms: retryAfterMs(attempt, now) })
  const due_at = delay === undefined ? null : new Date(now.getTime() + delay).toISOString()
  const state = isDelivered ? 'delivered' : due_at === null ? 'failed' : 'waiting'
  const delivery_id = log(run, item, { event, attempt, state, next_attempt_at: due_at })
  if (!isDelivered) run.webhook = { ...run.webhook, last_failure_id: delivery_id }
  settleRecord(run, item, due_at === null ? undefined : { attempt: number, due_at, delivery_id })
  run.parts.store.soon(run)
}

function log(
  run: Run,
  item: Item,
  made: { event: WebhookEvent; attempt: DeliveryAttempt; state: DeliveryState; next_attempt_at: string | null },
): string {
  const { event, state, next_attempt_at } = made
  const { id: webhook_id } = run.webhook
  const { results } = run
  const attempt = JSON.stringify(made.attempt)
  results.bytes += attempt.length
  const known = item.replay?.id ?? run.blocked.get(item.key)?.delivery_id
  if (known) {
    results.updates.push({ webhook_id, id: known, state, next_attempt_at, attempt })
    return known
  }
  const { record_id = null, sequence = null } = item.entry?.attributes ?? {}
  const id = newId(run.parts.runtime.now().getTime())
  results.deliveries.push({
    webhook_id,
    id,
    event_id: event.id,
    type: event.type,
    record_id,
    sequence,
    state,
    replay: 0,
    created_at: made.attempt.at,
    next_attempt_at,
    attempts: attempt,
  })
  return id
}

/** `waits`: the event is retried, and the other events of its record wait for it. */
function settleRecord(
  run: Run,
  { key, entry, replay }: Item,
  waits: Pick<BlockedRow, 'attempt' | 'due_at' | 'delivery_id'> | undefined,
): void {
  const { results, replays } = run
  const isOther = (item: Item) => item.key !== key
  if (replay) {
    results.hasReplays = true
    // Those that wait are read again, and so are those after the ones that were read.
    replays.next = isoNow(run)
    if (!waits || replay.record_id === null) return
    results.delays.push({ record_id: replay.record_id, until: waits.due_at })
    replays.waiting = replays.waiting.filter(isOther)
    return
  }
  const blocked = run.blocked.get(key)
  if (waits) {
    // The other events of the record are read again when it is due, so that memory does not grow.
    const of = blocked ?? entry?.attributes
    if (!of) return
    const { resource, record_id, sequence } = of
    const row = { resource, record_id, sequence: sequence ?? 0, ...waits, covered: undefined }
    run.blocked.set(key, row)
    results.records.set(key, row)
    run.retries = run.retries.filter(isOther)
    run.fresh = run.fresh.filter(isOther)
  } else if (blocked && isReset(blocked)) {
    run.blocked.delete(key)
    results.records.set(key, blocked)
  } else if (blocked) advance(run, blocked)
}
