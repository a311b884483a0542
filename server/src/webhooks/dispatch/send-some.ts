import { newId } from '@kith/contract/id'
import type { DeliveryAttempt, DeliveryState } from '@kith/contract/webhooks/webhook'
import { writeFeedCursor } from '../../changes/position.ts'
import type { Entry } from '../../changes/read-part.ts'
import { type ScopeFacts, scopeFor } from '../../scope/scope.ts'
import type { BlockedRow } from '../../storage/tables/webhooks.ts'
import { eventOf, resetEvent, retryAfterMs } from '../attempt.ts'
import { changedOf, filterOf } from '../webhook.ts'
import { advance, type Backlog, type BlockedRecord, catchUp, keyOf, postpone } from './backlog.ts'
import { afterFailure, afterSuccess, disabled, retryDelay } from './health.ts'
import { type EventOf, type Item, isoNow, limitOf, type RunState, resetOf } from './run-state.ts'

/** Sends as many of the next events as may run at once. Those of blocked records come first. */
export async function sendSome(run: RunState, facts: ScopeFacts): Promise<void> {
  const { backlog } = run
  const count = limitOf(run) - (run.inFlight - run.replaying)
  if (!backlog || count <= 0) return
  const reset = resetOf(backlog)
  if (reset) return sendReset(run, reset, facts)
  const blocked = (await readBlocked(run, backlog, facts)).slice(0, count)
  const fresh = run.health.state === 'active' ? backlog.take(count - blocked.length) : []
  if (blocked.length + fresh.length === 0) return
  for (const one of blocked) one.busy = true
  const entries = [...blocked.flatMap(({ waiting }) => waiting.slice(0, 1)), ...fresh]
  const ready = blocked.length === 0 ? preparedFor(run, fresh) : undefined
  const shown = await (ready ?? prepare(run, entries, facts)).catch((error) => {
    for (const one of blocked) one.busy = false
    backlog.putBack(fresh)
    throw error
  })
  if (!shown) return
  for (const one of blocked) {
    const [entry] = one.waiting
    const event = entry && shown(entry)
    const { attempt, delivery_id } = one
    if (event) send(run, { event, entry, blocked: one, number: attempt + 1, delivery_id })
    else advanceBlocked(run, one)
  }
  for (const entry of fresh) {
    const event = shown(entry)
    if (event) send(run, { event, entry, number: 1, delivery_id: null })
    else backlog.done(entry)
  }
  run.unwritten.mark()
  run.flushSoon()
  run.again ||= backlog.queued() > 0
}

/** The blocked records whose next event can be sent now. */
async function readBlocked(run: RunState, backlog: Backlog, facts: ScopeFacts): Promise<BlockedRecord[]> {
  const due = backlog.due(isoNow(run))
  if (due.length === 0) return []
  const { ready, freed } = await catchUp({ ask: run.parts.ask, facts, webhook: run.webhook }, backlog, due)
  for (const one of freed) run.unwritten.touch(one)
  if (freed.length > 0) run.flushSoon()
  run.again ||= due.length > ready.length
  return ready
}

/** How long events stay prepared, and how many at a time. */
const PREPARED_MS = 500
const PREPARED_MAX = 50

/**
 * Events that are read together with earlier ones, so that a fast receiver does not wait for each read. Without this,
 * an endpoint with one request at a time takes 1.5 times the CPU.
 */
function preparedFor({ prepared }: RunState, entries: readonly Entry[]): Promise<EventOf> | undefined {
  if (!prepared || performance.now() - prepared.at > PREPARED_MS) return undefined
  return entries.every(({ id }) => prepared.ids.has(id)) ? Promise.resolve(prepared.shown) : undefined
}

async function prepare(run: RunState, entries: readonly Entry[], facts: ScopeFacts): Promise<EventOf | undefined> {
  const at = performance.now()
  const all = [...entries, ...(run.backlog?.peek(PREPARED_MAX) ?? [])]
  const shown = await present(run, all, facts)
  run.prepared = shown && { at, ids: new Set(all.map(({ id }) => id)), shown }
  return shown
}

/** The events of entries, with the current records. Entries that do not match the endpoint have none. */
async function present(run: RunState, entries: readonly Entry[], facts: ScopeFacts): Promise<EventOf | undefined> {
  const { parts, webhook, epoch } = run
  const shaping = { filter: filterOf(webhook), changed: changedOf(webhook), thin: webhook.payload === 'thin' }
  const shown = await parts.presenter.present(facts, entries, shaping)
  if (!shown) {
    run.health = disabled(run.health, 'filter')
    await run.finish()
    return undefined
  }
  const scope = scopeFor(parts.runtime, facts)
  return ({ id, attributes: { sequence, origin } }) => {
    const entry = shown.get(id)
    // Whose token made the change depends on the endpoint.
    const own = entry && { ...entry, attributes: { ...entry.attributes, origin } }
    return own && eventOf(own, writeFeedCursor(scope, { epoch, sequence: sequence ?? 0 }))
  }
}

function sendReset(run: RunState, blocked: BlockedRecord, facts: ScopeFacts): void {
  if (blocked.busy || blocked.due_at > isoNow(run)) return
  const { parts, epoch } = run
  const cursor = writeFeedCursor(scopeFor(parts.runtime, facts), { epoch, sequence: blocked.sequence })
  const reason = blocked.resource === 'feed.restored' ? 'restored' : 'expired'
  const event = resetEvent({ id: blocked.record_id, at: isoNow(run), reason, resync: parts.resync, cursor })
  blocked.busy = true
  send(run, { event, blocked, number: blocked.attempt + 1, delivery_id: blocked.delivery_id })
}

/** Sends the next replays, next to the ordinary events. */
export async function replaySome(run: RunState, facts: ScopeFacts): Promise<void> {
  const { parts, webhook, replays, unwritten } = run
  const count = webhook.max_in_flight - run.replaying
  if (count <= 0 || !replays.hasWork(isoNow(run))) return
  const { replays: some, lost } = await replays.take(count, { ask: parts.ask, facts, webhook, now: isoNow(run) })
  for (const row of lost) unwritten.update({ ...row, state: 'failed', next_attempt_at: null, attempt: '' })
  if (lost.length > 0) run.flushSoon()
  if (some.length === 0) return
  const entries = some.map(({ entry }) => entry)
  const shown = await present(run, entries, facts).catch((error) => {
    replays.putBack(some)
    throw error
  })
  if (!shown) return
  for (const replay of some) {
    const { row, entry } = replay
    const event = shown(entry)
    const number = row.attempts === '' ? 1 : JSON.parse(`[${row.attempts}]`).length + 1
    if (event) send(run, { event, entry, replay, number, delivery_id: row.id })
    else {
      unwritten.update({ ...row, state: 'failed', next_attempt_at: null, attempt: '' })
      replays.ended(replay, false)
      run.flushSoon()
    }
  }
  run.again = true
}

function send(run: RunState, item: Item): void {
  const { parts, webhook } = run
  const { event, number } = item
  run.inFlight++
  if (item.replay) run.replaying++
  parts
    .attempt({ webhook, event, number, replay: item.replay !== undefined })
    .then((made) => run.isOver || settle(run, item, made), parts.onFailure)
    .finally(() => {
      run.inFlight--
      if (item.replay) run.replaying--
      run.sent()
    })
}

/** The effect of an attempt on the endpoint, the log and the next events of the record. */
function settle(run: RunState, item: Item, made: DeliveryAttempt): void {
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

function log(
  run: RunState,
  item: Item,
  { made, state, next_attempt_at }: { made: DeliveryAttempt; state: DeliveryState; next_attempt_at: string | null },
): string {
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
    webhook_id,
    id,
    event_id,
    type,
    record_id,
    sequence,
    state,
    replay: 0,
    created_at: made.at,
    next_attempt_at,
    attempts: text,
  })
  run.logged++
  return id
}

/** `waits`: the event is retried, and its record waits for it. */
function settleRecord(
  run: RunState,
  item: Item,
  waits: Pick<BlockedRow, 'attempt' | 'due_at' | 'delivery_id'> | undefined,
): void {
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

function advanceBlocked(run: RunState, blocked: BlockedRecord): void {
  advance(blocked, isoNow(run))
  run.unwritten.touch(blocked)
}
