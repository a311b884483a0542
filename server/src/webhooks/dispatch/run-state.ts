import { newId } from '@kith/contract/id'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import { creatorRights } from '../../accounts/creator-rights.ts'
import type { Entry } from '../../changes/entry.ts'
import type { FeedPart } from '../../changes/read-part.ts'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import type { BlockedRow, WebhookRow } from '../../storage/tables/webhooks.ts'
import type { Attempting } from '../send/attempt.ts'
import type { WebhookEvent } from '../send/event.ts'
import { type Backlog, type Blocked, newBacklog } from './backlog.ts'
import type { FeedReader, Presenter } from './feed-reader.ts'
import type { Flusher } from './flusher.ts'
import { type Health, healthOf } from './health.ts'
import { newReplays, type Replay, type Replays } from './replays.ts'
import type { Ask } from './steps.ts'
import { newUnwritten, type Unwritten } from './unwritten.ts'

/** What a node knows of an endpoint to which it delivers. */
export type RunState = {
  parts: RunParts
  webhook: WebhookRow
  health: Health
  /** That of the position. */
  epoch: string
  /** Undefined before it is loaded. */
  backlog: Backlog | undefined
  replays: Replays
  unwritten: Unwritten
  /** The events that come next, as they were a moment ago. */
  prepared: Prepared | undefined
  /** How many requests are being sent, and how many of them are replays. */
  inFlight: number
  replaying: number
  /** How many deliveries were added to the log since it was last cut. */
  logged: number
  /** Whether there is more to do at once. */
  again: boolean
  isOver: boolean
  /** There is something to store. */
  flushSoon(): void
  /** A request has ended. */
  sent(): void
  /** The endpoint is disabled: this is stored at once. */
  finish(): Promise<void>
}

/** The event of an entry; undefined if the entry is not for the endpoint. */
export type Shown = (entry: Entry) => WebhookEvent | undefined

type Prepared = { at: number; ids: ReadonlySet<string>; shown: Shown }

export function newRunState(
  parts: RunParts,
  webhook: WebhookRow,
  means: Pick<RunState, 'flushSoon' | 'sent' | 'finish'>,
): RunState {
  return {
    ...{ parts, webhook, health: healthOf(webhook), epoch: webhook.epoch, backlog: undefined },
    ...{ replays: newReplays(), unwritten: newUnwritten(), prepared: undefined },
    ...{ inFlight: 0, replaying: 0, logged: 0, again: false, isOver: false },
    ...means,
  }
}

/** One event to send: a new one, the oldest of a blocked record, or a replay. */
export type Item = { event: WebhookEvent; number: number; delivery_id: string | null } & (
  | { entry: Entry; blocked?: undefined; replay?: undefined }
  | { entry?: Entry | undefined; blocked: Blocked; replay?: undefined }
  | { entry: Entry; blocked?: undefined; replay: Replay }
)

/** How many events are sent at once. */
export function limitOf({ health, webhook }: RunState): number {
  return health.state === 'failing' ? 1 : webhook.max_in_flight
}

/** The notice that events are missing, which comes before all others. */
export function resetOf(backlog: Backlog | undefined): Blocked | undefined {
  for (const one of backlog?.blocked.values() ?? []) if (one.resource.startsWith('feed.')) return one
  return undefined
}

export function isoNow({ parts }: RunState): string {
  return parts.runtime.now().toISOString()
}

/** What a node shares among the endpoints that it delivers to. */
export type RunParts = {
  runtime: Runtime
  node: string
  ask: Ask
  reader: FeedReader
  presenter: Presenter
  flusher: Flusher
  attempt(attempting: Attempting): Promise<DeliveryAttempt>
  /** Reports the highest sequence of a workspace. Returns a function that stops it. */
  listen(facts: ScopeFacts, onHead: (sequence: number) => void): () => void
  /** Seconds between the attempts of an event. */
  retries: readonly number[]
  hosted: boolean
  /** Where a receiver reads everything again. */
  resync: string
  /** Whether this node still has its leases, as far as it knows. */
  isLeased(): boolean
  /** The log of an endpoint has grown. */
  prune(webhook: WebhookRow): void
  onFailure(error: unknown): void
}

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

/** With whose rights an endpoint reads. `paused`: not now. `none`: its creator has left, or the workspace is gone. */
type Rights = ScopeFacts | 'paused' | 'none'

/** For how long rights are not looked up again. */
const KNOWN_MS = 1000

/** Reads the rights of an endpoint's creator, at most once a second. */
export function rightsOf(engine: Engine, hosted: boolean): (webhook: WebhookRow, now: Date) => Promise<Rights> {
  let known: { at: number; rights: Rights } | undefined
  return async (webhook, now) => {
    if (known && now.getTime() - known.at < KNOWN_MS) return known.rights
    const rights = await readRights(engine, webhook, { hosted, now })
    known = { at: now.getTime(), rights }
    return rights
  }
}

type Asking = { hosted: boolean; now: Date }

async function readRights({ db }: Engine, webhook: WebhookRow, asking: Asking): Promise<Rights> {
  const rights = await creatorRights(db, webhook, asking)
  if (rights === 'none' || rights === 'paused') return rights
  const { creator_id: user_id, token_id } = webhook
  return {
    workspace: rights.workspace,
    actor: { user_id, role: rights.role, abilities: ['read'], token_id, source: 'api' },
  }
}
