import { writeFeedCursor } from '../../changes/cursor.ts'
import type { Entry } from '../../changes/entry.ts'
import { type ScopeFacts, scopeFor } from '../../scope/scope.ts'
import { eventOf, resetEvent } from '../send/event.ts'
import { changedOf, filterOf } from '../webhook.ts'
import type { Backlog, Blocked } from './backlog.ts'
import { catchUp } from './catch-up.ts'
import { disabled } from './health.ts'
import { type Item, isoNow, limitOf, type RunState, resetOf, type Shown } from './run-state.ts'
import { advanceBlocked, settle } from './settle.ts'

/** Sends the next events, as many as may be sent at once. Those of blocked records come first. */
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
async function readBlocked(run: RunState, backlog: Backlog, facts: ScopeFacts): Promise<Blocked[]> {
  const due = backlog.due(isoNow(run))
  if (due.length === 0) return []
  const { ready, freed } = await catchUp({ ask: run.parts.ask, facts, webhook: run.webhook }, backlog, due)
  for (const one of freed) run.unwritten.touch(one)
  if (freed.length > 0) run.flushSoon()
  run.again ||= due.length > ready.length
  return ready
}

/** How long events stay prepared, and how many are at a time. */
const PREPARED_MS = 500
const PREPARED_MAX = 50

/** Events that are read together with those before, so that a fast receiver does not wait for each read. */
function preparedFor({ prepared }: RunState, entries: readonly Entry[]): Promise<Shown> | undefined {
  if (!prepared || performance.now() - prepared.at > PREPARED_MS) return undefined
  return entries.every(({ id }) => prepared.ids.has(id)) ? Promise.resolve(prepared.shown) : undefined
}

async function prepare(run: RunState, entries: readonly Entry[], facts: ScopeFacts): Promise<Shown | undefined> {
  const at = performance.now()
  const all = [...entries, ...(run.backlog?.peek(PREPARED_MAX) ?? [])]
  const shown = await present(run, all, facts)
  run.prepared = shown && { at, ids: new Set(all.map(({ id }) => id)), shown }
  return shown
}

/** The events of entries, as the records are now. Entries that are not for the endpoint have none. */
async function present(run: RunState, entries: readonly Entry[], facts: ScopeFacts): Promise<Shown | undefined> {
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

function sendReset(run: RunState, blocked: Blocked, facts: ScopeFacts): void {
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
