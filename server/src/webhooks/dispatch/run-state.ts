import { newId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import { creatorRights } from '../../accounts/revoke-access.ts'
import type { Entry, FeedPart } from '../../changes/read-part.ts'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import type { DeliveryRow, DeliveryUpdate } from '../../storage/tables/deliveries.ts'
import { type BlockedRow, findRevision, type WebhookRow } from '../../storage/tables/webhooks.ts'
import type { AttemptInput, WebhookEvent } from '../attempt.ts'
import { wantedBy } from '../webhook.ts'
import { type Backlog, type BlockedRecord, keyOf, newBacklog } from './backlog.ts'
import type { FeedReader, Presenter } from './feed-reader.ts'
import type { Progress } from './flush.ts'
import type { Flusher } from './flusher.ts'
import { type Health, healthOf } from './health.ts'
import type { Ask } from './steps.ts'

/** The state of an endpoint on the node that delivers to it. */
export type RunState = {
  parts: RunParts
  webhook: WebhookRow
  health: Health
  /** The epoch of the position. */
  epoch: string
  /** Undefined before it is loaded. */
  backlog: Backlog | undefined
  replays: Replays
  unwritten: Unwritten
  /** Events that were prepared in advance. */
  prepared: { at: number; ids: ReadonlySet<string>; shown: EventOf } | undefined
  /** How many requests are running, and how many of them are replays. */
  inFlight: number
  replaying: number
  /** How many deliveries were added to the log since old ones were last deleted. */
  logged: number
  /** Whether there is more to do at once. */
  again: boolean
  isOver: boolean
  /** Called when there is progress to store. */
  flushSoon(): void
  /** Called when a request has ended. */
  sent(): void
  /** Called when the endpoint is disabled, which is stored at once. */
  finish(): Promise<void>
}

/** The event of an entry; undefined if the entry does not match the endpoint. */
export type EventOf = (entry: Entry) => WebhookEvent | undefined

export function newRunState(
  parts: RunParts,
  webhook: WebhookRow,
  means: Pick<RunState, 'flushSoon' | 'sent' | 'finish'>,
): RunState {
  return {
    parts,
    webhook,
    health: healthOf(webhook),
    epoch: webhook.epoch,
    backlog: undefined,
    replays: newReplays(),
    unwritten: newUnwritten(),
    prepared: undefined,
    inFlight: 0,
    replaying: 0,
    logged: 0,
    again: false,
    isOver: false,
    ...means,
  }
}

/** One event to send: a new one, the oldest of a blocked record, or a replay. */
export type Item = { event: WebhookEvent; number: number; delivery_id: string | null } & (
  | { entry: Entry; blocked?: undefined; replay?: undefined }
  | { entry?: Entry | undefined; blocked: BlockedRecord; replay?: undefined }
  | { entry: Entry; blocked?: undefined; replay: Replay }
)

/** How many events are sent at once. */
export function limitOf({ health, webhook }: RunState): number {
  return health.state === 'failing' ? 1 : webhook.max_in_flight
}

/** The notice that events are missing, which comes before all others. */
export function resetOf(backlog: Backlog | undefined): BlockedRecord | undefined {
  for (const one of backlog?.blocked.values() ?? []) if (one.resource.startsWith('feed.')) return one
  return undefined
}

export function isoNow({ parts }: RunState): string {
  return parts.runtime.now().toISOString()
}

/** The parts that all endpoints of a node share. */
export type RunParts = {
  runtime: Runtime
  node: string
  ask: Ask
  reader: FeedReader
  presenter: Presenter
  flusher: Flusher
  attempt(attempting: AttemptInput): Promise<DeliveryAttempt>
  /** Reports the highest sequence of a workspace. Returns a function that stops it. */
  listen(facts: ScopeFacts, onHead: (sequence: number) => void): () => void
  /** Seconds between the attempts of an event. */
  retries: readonly number[]
  hosted: boolean
  /** The address at which a receiver reads all data again. */
  resync: string
  /** Whether this node still has its leases, as far as it knows. */
  isLeased(): boolean
  /** Called when the log of an endpoint has grown. */
  expire(webhook: WebhookRow): void
  onFailure(error: unknown): void
}

/**
 * Events are missing, because they expired or a backup was restored. The endpoint continues from the oldest entry, and
 * the receiver is notified before it gets further events.
 */
export function resetFeed(run: RunState, reason: 'expired' | 'restored', { epoch, expired_until }: FeedPart): void {
  const { unwritten, webhook } = run
  const rows = [...(run.backlog?.blocked.values() ?? [])]
  const kept = reason === 'expired' ? rows.filter(({ sequence }) => sequence > expired_until) : []
  for (const row of rows) {
    unwritten.touch(row)
    if (kept.includes(row) || row.delivery_id === null) continue
    const given = { webhook_id: webhook.id, id: row.delivery_id, state: 'failed' } as const
    unwritten.update({ ...given, next_attempt_at: null, attempt: '' })
  }
  const at = run.parts.runtime.now()
  const reset: BlockedRow = {
    resource: `feed.${reason}`,
    record_id: newId(at.getTime()),
    sequence: expired_until,
    attempt: 0,
    due_at: at.toISOString(),
    delivery_id: null,
  }
  unwritten.touch(reset)
  run.epoch = epoch
  run.backlog = newBacklog(expired_until, [...kept, reset])
  run.again = true
  run.flushSoon()
}

export async function readRights({
  parts,
  webhook,
}: RunState): Promise<ScopeFacts | 'paused' | 'changed' | 'creator' | 'token' | 'role'> {
  const { engine, now } = parts.runtime
  const [rights, revision] = await Promise.all([
    creatorRights(engine.db, webhook, { hosted: parts.hosted, now: now() }),
    findRevision(engine.db, webhook),
  ])
  if (revision !== webhook.revision) return 'changed'
  if (typeof rights === 'string') return rights
  if (!roleMay(rights.role, 'create')) return 'role'
  const { creator_id: user_id, token_id } = webhook
  return {
    workspace: rights.workspace,
    actor: { user_id, role: rights.role, abilities: ['read'], token_id, source: 'api' },
  }
}

const READ = 200

type Replay = { row: DeliveryRow; entry: Entry }

/** The replays of an endpoint. Replays of one record keep their order. */
type Replays = {
  /** Called when there may be new replays. */
  look(): void
  /** Whether any replay can be sent or searched for at this time. */
  hasWork(now: string): boolean
  nextDue(): string | undefined
  /** The next replays of records that are not blocked, and those whose change has expired or no longer matches. */
  take(
    count: number,
    reading: { ask: Ask; facts: ScopeFacts; webhook: WebhookRow; now: string },
  ): Promise<{ replays: Replay[]; lost: DeliveryRow[] }>
  putBack(replays: readonly Replay[]): void
  /** A replay was delivered, given up, or waits: then other replays of its record wait, too. */
  ended(replay: Replay, waits: boolean): void
  /** The results of replays so far are being stored. */
  storing(): void
  /** The results were stored. Before that, the replays would be found again. */
  stored(): void
}

function newReplays(): Replays {
  let queue: Replay[] = []
  const flying = new Set<string>()
  /** Whether there are results of replays that are not stored. */
  let unstored: false | 'waits' | 'is being stored' = false
  let looks = true
  let next: string | undefined

  return {
    look() {
      looks = true
    },
    hasWork: (now) => queue.length > 0 || (looks && !unstored) || (next !== undefined && next <= now && !unstored),
    nextDue: () => next,
    async take(count, { ask, facts, webhook, now }) {
      let lost: DeliveryRow[] = []
      if (queue.length === 0 && flying.size === 0 && !unstored) {
        const found = await ask(facts, 'replays', { id: webhook.id, now, limit: READ })
        const entries = new Map(wantedBy({ ...webhook, exclude_own: 0 }, found.entries).map(bySequence))
        const loaded = found.rows.map((row) => ({ row, entry: entries.get(row.sequence ?? -1) }))
        queue = loaded.flatMap(({ row, entry }) => (entry ? [{ row, entry }] : []))
        lost = loaded.flatMap(({ row, entry }) => (entry ? [] : row))
        looks = found.rows.length === READ
        next = found.next ?? undefined
        unstored = lost.length > 0 && 'waits'
      }
      const replays: Replay[] = []
      const rest: Replay[] = []
      const seen = new Set(flying)
      for (const replay of queue) {
        const key = keyOf(replay.entry.attributes)
        if (replays.length === count || seen.has(key)) rest.push(replay)
        else replays.push(replay)
        seen.add(key)
      }
      for (const { entry } of replays) flying.add(keyOf(entry.attributes))
      queue = rest
      return { replays, lost }
    },
    putBack(replays) {
      for (const { entry } of replays) flying.delete(keyOf(entry.attributes))
      queue = [...replays, ...queue]
    },
    ended({ entry }, waits) {
      const key = keyOf(entry.attributes)
      flying.delete(key)
      unstored = 'waits'
      looks = true
      if (waits) queue = queue.filter((other) => keyOf(other.entry.attributes) !== key)
    },
    storing() {
      if (unstored) unstored = 'is being stored'
    },
    stored() {
      // Replays that ended meanwhile are stored later.
      if (unstored === 'is being stored') unstored = false
    },
  }
}

function bySequence(entry: Entry): [number, Entry] {
  return [entry.attributes.sequence ?? -1, entry]
}

type Log = Progress['log']

/** The progress of an endpoint that is not stored yet. */
type Unwritten = {
  add(delivery: DeliveryRow): void
  update(update: DeliveryUpdate): void
  delay(delay: Log['delays'][number]): void
  /** The row of a record has changed. */
  touch(key: Pick<BlockedRow, 'resource' | 'record_id'>): void
  /** Something else has changed. */
  mark(): void
  isEmpty(): boolean
  /** The approximate memory of the log. */
  bytes(): number
  /** Takes all progress. It is kept until `stored` or `putBack`. */
  take(): { keys: Pick<BlockedRow, 'resource' | 'record_id'>[]; log: Log }
  stored(): void
  /** Called when only the log was stored. */
  logged(): void
  putBack(): void
}

type Content = {
  deliveries: DeliveryRow[]
  updates: DeliveryUpdate[]
  delays: Log['delays'][number][]
  keys: Map<string, Pick<BlockedRow, 'resource' | 'record_id'>>
  marked: boolean
  again: boolean
  bytes: number
}

const empty = (): Content => ({
  deliveries: [],
  updates: [],
  delays: [],
  keys: new Map(),
  marked: false,
  again: false,
  bytes: 0,
})

function newUnwritten(): Unwritten {
  let content = empty()
  let taken: Content | undefined

  return {
    add(delivery) {
      content.deliveries.push(delivery)
      content.bytes += delivery.attempts.length
    },
    update(update) {
      content.updates.push(update)
      content.bytes += update.attempt.length
    },
    delay: (delay) => void content.delays.push(delay),
    touch: ({ resource, record_id }) => void content.keys.set(`${resource} ${record_id}`, { resource, record_id }),
    mark() {
      content.marked = true
    },
    isEmpty: () => {
      const { deliveries, updates, delays, keys, marked } = content
      return deliveries.length + updates.length + delays.length + keys.size === 0 && !marked
    },
    bytes: () => content.bytes + (taken?.bytes ?? 0),
    take() {
      const { deliveries, updates, delays, keys } = content
      taken = content
      content = empty()
      return { keys: [...keys.values()], log: { deliveries, updates, delays, again: taken.again } }
    },
    stored() {
      taken = undefined
    },
    logged() {
      content.keys = new Map([...(taken?.keys ?? []), ...content.keys])
      content.marked = true
      taken = undefined
    },
    putBack() {
      if (!taken) return
      content = {
        deliveries: [...taken.deliveries, ...content.deliveries],
        updates: [...taken.updates, ...content.updates],
        delays: [...taken.delays, ...content.delays],
        keys: new Map([...taken.keys, ...content.keys]),
        marked: true,
        again: true,
        bytes: taken.bytes + content.bytes,
      }
      taken = undefined
    },
  }
}
