import { writeFeedCursor } from '../../changes/position.ts'
import type { Entry } from '../../changes/read-part.ts'
import { type ScopeFacts, tenancyFor } from '../../scope/scope.ts'
import { eventOf, type WebhookEvent } from '../attempt.ts'
import { changedOf, filterOf, wantedBy } from '../webhook.ts'
import { type BlockedRecord, type Item, isoNow, keyOf, type Run, resetFeed, resetOf } from './run.ts'

/** More events are read when fewer than these are waiting. */
const FRESH_MIN = 100
/** How many blocked records are read at a time, and how many of their events. */
const RECORDS = 100
const RETRIES = 200
const REPLAYS = 200

/** Reads what can be sent next, from the rows of the endpoint and the feed. */
export async function read(run: Run, facts: ScopeFacts): Promise<void> {
  if (wantsEvents(run)) await readEvents(run, facts)
  const due = dueRecords(run)
  if (due.length > 0) await readRetries(run, facts, due)
  if (wantsReplays(run)) await readReplays(run, facts)
}

export function wantsEvents(run: Run): boolean {
  return run.webhook.state === 'active' && run.fresh.length < FRESH_MIN && run.readUpTo < run.head && !resetOf(run)
}

async function readEvents(run: Run, facts: ScopeFacts): Promise<void> {
  const after = run.readUpTo
  const part = await run.parts.reader.events(facts, after)
  run.head = Math.max(run.head, part.head)
  if (part.epoch !== run.webhook.epoch) return resetFeed(run, 'restored', part)
  if (after < part.expired_until) return resetFeed(run, 'expired', part)
  const items = wantedBy(run.webhook, part.entries).map(itemOf)
  run.fresh.push(...items.filter(({ key }) => !run.blocked.has(key)))
  run.readUpTo = Math.max(part.until, after)
  run.parts.store.soon(run)
}

/** The blocked records whose events are read when they are due. No more are read than can be kept in memory. */
export function closedRecords(run: Run): BlockedRecord[] {
  if (run.blocked.size === 0 || resetOf(run)) return []
  const closed = [...run.blocked.values()].filter(({ covered }) => covered === undefined)
  return run.blocked.size - closed.length < RECORDS ? closed : []
}

/** Those that are due now, the longest due first. */
export function dueRecords(run: Run): BlockedRecord[] {
  const now = isoNow(run)
  const due = closedRecords(run).filter(({ due_at }) => due_at <= now)
  return due.sort((one, other) => (one.due_at < other.due_at ? -1 : 1)).slice(0, RECORDS)
}

/**
 * Reads the next events of blocked records, from the oldest undelivered one up to the position of the feed. A record
 * without events is no longer blocked.
 */
async function readRetries(run: Run, facts: ScopeFacts, due: readonly BlockedRecord[]): Promise<void> {
  const after = Math.min(...due.map(({ sequence }) => sequence - 1))
  const record_ids = due.map(({ record_id }) => record_id)
  const wanted = { after, until: run.readUpTo, limit: RETRIES, record_ids }
  const part = await run.parts.reader.ask(facts, 'read-events', wanted)
  const found = Map.groupBy(wantedBy(run.webhook, part.entries).map(itemOf), ({ key }) => key)
  for (const one of due) {
    // The events of others were too many. It is still due.
    if (part.until < Math.min(one.sequence, run.readUpTo)) continue
    const own = (found.get(keyOf(one)) ?? []).filter(({ entry }) => (entry.attributes.sequence ?? 0) >= one.sequence)
    run.retries.push(...own)
    one.covered = part.until
    // The endpoint no longer wants the event.
    if (own[0]?.entry.attributes.sequence !== one.sequence) advance(run, one)
  }
}

/** The event of a blocked record is done: the next one can be sent at once. Without one, the record is free. */
export function advance(run: Run, blocked: BlockedRecord): void {
  const key = keyOf(blocked)
  const { covered = 0 } = blocked
  const next = run.retries.find((item) => item.key === key)?.entry?.attributes.sequence
  const moved = { sequence: next ?? covered + 1, attempt: 0, due_at: isoNow(run), delivery_id: null }
  Object.assign(blocked, moved, { covered: next ? covered : undefined })
  if (!next && covered >= run.readUpTo) run.blocked.delete(key)
  run.results.records.set(key, blocked)
  run.parts.store.soon(run)
}

/** When replays are to be read. Those that were read before end first, and are stored, or they would be found again. */
export function replaysAt({ webhook, replays, results, storing }: Run): string | undefined {
  const isBusy = replays.waiting.length + replays.sending.size > 0 || results.hasReplays || storing?.hasReplays
  return isBusy || webhook.state !== 'active' ? undefined : replays.next
}

export function wantsReplays(run: Run): boolean {
  const at = replaysAt(run)
  return at !== undefined && at <= isoNow(run)
}

async function readReplays(run: Run, facts: ScopeFacts): Promise<void> {
  const { webhook, replays, parts } = run
  const wanted = { webhook_id: webhook.id, now: isoNow(run), limit: REPLAYS }
  const { rows, entries, next } = await parts.reader.ask(facts, 'read-replays', wanted)
  const known = wantedBy({ ...webhook, exclude_own: 0 }, entries)
  const bySequence = new Map(known.map((entry) => [entry.attributes.sequence, entry]))
  replays.next = next ?? undefined
  for (const replay of rows) {
    const entry = bySequence.get(replay.sequence)
    if (entry) replays.waiting.push({ ...itemOf(entry), replay })
    else abandonReplay(run, replay)
  }
}

/** Its change has expired, or no longer matches. */
export function abandonReplay(run: Run, { webhook_id, id }: { webhook_id: string; id: string }): void {
  run.results.updates.push({ webhook_id, id, state: 'failed', next_attempt_at: null, attempt: '' })
  run.results.hasReplays = true
  run.replays.next = isoNow(run)
  run.parts.store.soon(run)
}

function itemOf(entry: Entry): Item & { entry: Entry } {
  return { key: keyOf(entry.attributes), entry }
}

/** How long events stay prepared, and how many at a time. */
const PREPARED_MS = 500
const PREPARED_MAX = 50

/**
 * The events of items, by the ids of their entries, with the current records. Entries that do not match the endpoint
 * have none. Undefined if its filter is no longer valid. The next events are prepared together with these, so that a
 * fast receiver does not wait for each read. Without this, an endpoint with one request at a time takes 1.5 times the
 * CPU.
 */
export async function prepare(
  run: Run,
  items: readonly Item[],
  facts: ScopeFacts,
): Promise<ReadonlyMap<string, WebhookEvent | undefined> | undefined> {
  const { parts, webhook, prepared } = run
  const at = performance.now()
  const entries = items.flatMap(({ entry }) => entry ?? [])
  if (at - prepared.at < PREPARED_MS && entries.every(({ id }) => prepared.events.has(id))) return prepared.events
  const next = run.fresh.slice(0, items.length + PREPARED_MAX).flatMap(({ entry }) => entry ?? [])
  const all = new Map([...entries, ...next].map((entry) => [entry.id, entry]))
  const shaping = { filter: filterOf(webhook), changed: changedOf(webhook), payload: webhook.payload }
  const shown = await parts.reader.present(facts, [...all.values()], shaping)
  if (!shown) return undefined
  const scope = tenancyFor(parts.runtime, facts)
  const events = new Map<string, WebhookEvent | undefined>()
  for (const [id, { attributes }] of all) {
    const entry = shown.get(id)
    const cursor = writeFeedCursor(scope, { epoch: webhook.epoch, sequence: attributes.sequence ?? 0 })
    // Whose token made the change depends on the endpoint.
    const own = entry && { ...entry, attributes: { ...entry.attributes, origin: attributes.origin } }
    events.set(id, own && eventOf(own, cursor))
  }
  run.prepared = { at, events }
  return events
}
