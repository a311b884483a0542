import type { Entry } from '../../changes/entry.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import type { WebhookEvent } from '../send/event.ts'
import type { Backlog, Blocked } from './backlog.ts'
import { type Health, healthOf } from './health.ts'
import { newReplays, type Replay, type Replays } from './replays.ts'
import type { RunParts } from './run-parts.ts'
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
