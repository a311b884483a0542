import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import type { Attempting } from '../send/attempt.ts'
import type { Ask } from './ask.ts'
import type { FeedReader } from './feed-reader.ts'
import type { Flusher } from './flusher.ts'
import type { Presenter } from './presenter.ts'

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
