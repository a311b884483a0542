import { newId } from '@kith/contract/id'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import type { Entry } from '../../changes/read-part.ts'
import { type Alarm, newAlarm } from '../../leases/leases.ts'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import type { DeliveryRow, DeliveryUpdate } from '../../storage/tables/deliveries.ts'
import type { BlockedRow, WebhookRow } from '../../storage/tables/webhooks.ts'
import type { AttemptInput, WebhookEvent } from '../attempt.ts'
import type { Reader } from './reader.ts'
import type { ChangedRows, Progress } from './store-progress.ts'

/** One event to send: of the feed, the notice that events are missing, or a replay, with its row of the log. */
export type Item = { key: string; entry?: Entry; replay?: DeliveryRow }

/** Events that are sent at the same time, except that those of one record follow one another. */
export type Lane = { sending: Map<string, Item> }

/** A record whose events fail. Those up to `covered` are in `retries`; if it is undefined, they are read when due. */
export type BlockedRecord = BlockedRow & { covered: number | undefined }

/**
 * The delivery to one endpoint, by the node with its lease. The rows of the endpoint have its state. This is what was
 * read from them and not sent, what is being sent, and the results that are not stored.
 */
export type Run = Lane & {
  parts: RunParts
  stopped: AbortSignal
  alarm: Alarm
  /** The row as it will be with the health after the latest results, and as it is stored. */
  webhook: WebhookRow
  stored: WebhookRow
  blocked: Map<string, BlockedRecord>
  /** The sequences up to which the feed was read, and up to which there are entries. */
  readUpTo: number
  head: number
  /** Events that were read and not started: of records that are not blocked, and of those that are. */
  fresh: Item[]
  retries: Item[]
  /** `next`: when replays are to be read. */
  replays: Lane & { waiting: Item[]; next: string | undefined }
  /** Events that were prepared in advance, by the ids of their entries. */
  prepared: { at: number; events: ReadonlyMap<string, WebhookEvent | undefined> }
  results: Results
  /** The results that are being stored. */
  storing: Results | undefined
  /** How many deliveries were added to the log since old ones were last deleted. */
  logged: number
  /** Whether the rows are to be read again, because a caller may have changed them. */
  isChanged: boolean
  /** The rows that were read, before the run continues with them. */
  changed: ChangedRows | undefined
  /** Whether another node has the endpoint, or it was deleted. */
  isLost: boolean
}

/** Results of attempts that are not stored. */
export type Results = {
  deliveries: DeliveryRow[]
  updates: DeliveryUpdate[]
  delays: { record_id: string; until: string }[]
  /** Whether they may already be stored, because the outcome of an earlier try is not known. */
  again: boolean
  /** The records whose rows of `webhook_blocked` have changed. */
  records: Map<string, Progress['blocked']['keys'][number]>
  hasReplays: boolean
  /** The approximate memory of the log. */
  bytes: number
}

/** The parts that all endpoints of a node share. */
export type RunParts = {
  runtime: Runtime
  node: string
  reader: Reader
  /** Stores the progress of an endpoint, `soon` together with that of others. */
  store: { soon(run: Run): void; now(run: Run): Promise<void> }
  attempt(attempting: AttemptInput): Promise<DeliveryAttempt>
  /** Reports the highest sequence of a workspace. Returns a function that stops it. */
  listen(facts: ScopeFacts, onHead: (sequence: number) => void): () => void
  /** Seconds between the attempts of an event. */
  retries: readonly number[]
  hosted: boolean
  /** The address at which a receiver reads all data again. */
  resync: string
  /** Whether this node still has its leases, as far as it knows. */
  isHeld(): boolean
  /** Called when the log of an endpoint has grown. */
  expire(webhook: WebhookRow): void
  onFailure(error: unknown): void
}

export function newRun(parts: RunParts, webhook: WebhookRow, stopped: AbortSignal): Run {
  // No revision is known until the rows are read.
  const row = { ...webhook, revision: 0, notice: null }
  return {
    parts,
    stopped,
    alarm: newAlarm(),
    webhook: row,
    stored: row,
    blocked: new Map(),
    readUpTo: row.sequence,
    head: row.sequence,
    fresh: [],
    retries: [],
    sending: new Map(),
    replays: { waiting: [], sending: new Map(), next: undefined },
    prepared: { at: 0, events: new Map() },
    results: emptyResults(),
    storing: undefined,
    logged: 0,
    isChanged: true,
    changed: undefined,
    isLost: false,
  }
}

export function emptyResults(): Results {
  const lists = { deliveries: [], updates: [], delays: [], records: new Map() }
  return { ...lists, again: false, hasReplays: false, bytes: 0 }
}

export function isOpen({ stopped, isLost, webhook: { state } }: Run): boolean {
  return !stopped.aborted && !isLost && (state === 'active' || state === 'failing')
}

/** Up to this sequence every event is delivered, given up, or behind a blocked record. */
export function positionOf({ blocked, sending, fresh, readUpTo }: Run): number {
  const open = [...sending.values(), ...fresh].filter(({ key }) => !blocked.has(key))
  return open.reduce((least, { entry }) => Math.min(least, (entry?.attributes.sequence ?? 0) - 1), readUpTo)
}

/**
 * Events are missing, because they expired or a backup was restored. The endpoint continues from the oldest entry, and
 * the receiver is notified before it gets further events.
 */
export function resetFeed(
  run: Run,
  reason: 'expired' | 'restored',
  { epoch, expired_until }: { epoch: string; expired_until: number },
): void {
  const { parts, results, webhook } = run
  for (const [key, row] of run.blocked) {
    results.records.set(key, row)
    row.covered = undefined
    if (reason === 'expired' && row.sequence > expired_until) continue
    run.blocked.delete(key)
    if (row.delivery_id === null) continue
    const given = { webhook_id: webhook.id, id: row.delivery_id, state: 'failed' } as const
    results.updates.push({ ...given, next_attempt_at: null, attempt: '' })
  }
  const at = parts.runtime.now()
  const reset = {
    resource: `feed.${reason}`,
    record_id: newId(at.getTime()),
    sequence: expired_until,
    attempt: 0,
    due_at: at.toISOString(),
    delivery_id: null,
    covered: undefined,
  }
  run.blocked.set(keyOf(reset), reset)
  results.records.set(keyOf(reset), reset)
  run.webhook = { ...webhook, epoch }
  run.readUpTo = expired_until
  run.fresh = []
  run.retries = []
  parts.store.soon(run)
}

/** The notice that events are missing, which comes before all others. */
export function resetOf({ blocked }: Run): BlockedRecord | undefined {
  for (const one of blocked.values()) if (isReset(one)) return one
  return undefined
}

export function isReset({ resource }: Pick<BlockedRow, 'resource'>): boolean {
  return resource.startsWith('feed.')
}

export function keyOf({ resource, record_id }: { resource: string; record_id: string }): string {
  return `${resource} ${record_id}`
}

export function isoNow({ parts }: Run): string {
  return parts.runtime.now().toISOString()
}
