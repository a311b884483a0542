import type { ResourceName } from '@kith/contract/resource'
import type {
  DeliveryAttempt,
  DeliveryState,
  DisabledReason,
  WebhookPayload,
  WebhookState,
} from '@kith/contract/webhooks/webhook'
import { creating, deleting, documentOf, reading, updating } from './calls.ts'
import type { FieldTypes } from './custom-values.ts'
import type { Filter } from './filter.ts'
import { type ListClient, listClient } from './list-client.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import { type Connection, send } from './transport.ts'

type Settings<F extends FieldTypes> = {
  readonly url: string
  /** The types of events to send: `companies.updated`, `people.*`, `*`. */
  readonly types: readonly string[]
  readonly description?: string | null
  /** Only records that match, by resource. */
  readonly filter?: { readonly [R in ResourceName]?: Filter<F, R> } | null
  /** Only updates of these attributes, by resource. */
  readonly changed?: { readonly [R in ResourceName]?: readonly string[] } | null
  readonly payload?: WebhookPayload
  /** Omits changes that were made with the token that creates it. */
  readonly exclude_own?: boolean
  readonly max_in_flight?: number
}

export type CreateWebhookInput<F extends FieldTypes = FieldTypes> = Settings<F> & {
  /** A cursor, or `now` (default). */
  readonly from?: string
}

/** Absent attributes are kept. `from` needs `state: 'active'`. */
export type UpdateWebhookInput<F extends FieldTypes = FieldTypes> = Partial<Settings<F>> & {
  readonly state?: 'active' | 'paused'
  readonly from?: string
}

export type WebhookObject = {
  readonly id: string
  readonly type: 'webhooks'
  readonly attributes: {
    readonly url: string
    readonly types: readonly string[]
    readonly description: string | null
    readonly filter: Readonly<Record<string, object>> | null
    readonly changed: Readonly<Record<string, readonly string[]>> | null
    readonly payload: WebhookPayload
    readonly exclude_own: boolean
    readonly max_in_flight: number
    readonly state: WebhookState
    readonly reason: DisabledReason | null
    readonly position: {
      readonly sequence: number
      /** The number of entries of the feed after the position. */
      readonly behind: number
      /** The number of records whose events wait for another attempt. */
      readonly blocked: number
      /** The time of the oldest event that is not delivered yet. */
      readonly oldest_at: string | null
    }
    readonly last_success_at: string | null
    readonly last_failure_at: string | null
    readonly created_at: string
    readonly updated_at: string
    readonly creator_id: string
  }
}

/** With the secret that signs its requests, which is shown this once. */
type WithSecret = WebhookObject & { readonly attributes: { readonly secret: string } }

/** An event in the log of an endpoint, with every attempt to deliver it. */
export type DeliveryObject = {
  readonly id: string
  readonly type: 'deliveries'
  readonly attributes: {
    readonly event_id: string
    readonly type: string
    readonly record_id: string | null
    readonly sequence: number | null
    readonly state: DeliveryState
    readonly replay: boolean
    readonly created_at: string
    readonly next_attempt_at: string | null
    readonly attempts: readonly DeliveryAttempt[]
  }
}

/** Which events are sent again. */
export type ReplayInput =
  | { readonly event_id: string }
  | { readonly from_sequence: number; readonly to_sequence: number }
  | { readonly since: string; readonly until: string }
  | { readonly only: 'failed' }

type DeliveryQuery = { readonly state?: DeliveryState; readonly record_id?: string }
type Answer<T> = Promise<{ readonly data: T }>

/** Endpoints to which the service sends changes. */
export type WebhooksClient<F extends FieldTypes = FieldTypes> = ListClient<WebhookObject> & {
  create(input: CreateWebhookInput<F>, options?: WriteOptions): Answer<WithSecret>
  read(id: string, options?: CallOptions): Answer<WebhookObject>
  update(id: string, input: UpdateWebhookInput<F>, options?: WriteOptions): Answer<WebhookObject>
  delete(id: string, options?: WriteOptions): Promise<void>
  /** Makes a new secret. The old one also signs for `keep_hours` (24). */
  rotate(id: string, input?: { readonly keep_hours?: number }, options?: WriteOptions): Answer<WithSecret>
  /** Sends a test event now, and returns its delivery, for any answer of the receiver. */
  test(id: string, options?: WriteOptions): Answer<DeliveryObject>
  /** Sends events again. Returns how many. */
  replay(id: string, input: ReplayInput, options?: WriteOptions): Promise<{ readonly meta: { readonly count: number } }>
  /** The log of an endpoint, latest first. */
  deliveries(id: string): ListClient<DeliveryObject, DeliveryQuery>
  delivery(id: string, deliveryId: string, options?: CallOptions): Answer<DeliveryObject>
}

export function webhooksClient<F extends FieldTypes>(connection: Connection): WebhooksClient<F> {
  return {
    ...listClient(connection, '/webhooks'),
    create: (input, asked = {}) => documentOf(connection, creating('/webhooks', input, asked)),
    read: (id, asked = {}) => documentOf(connection, reading(pathOf(id), asked)),
    update: (id, input, asked = {}) => documentOf(connection, updating(pathOf(id), input, asked)),
    delete: async (id, asked = {}) => void (await send(connection, deleting(pathOf(id), asked))),
    rotate: (id, input = {}, asked = {}) =>
      // Repeated without a key, it would make another secret.
      documentOf(connection, { ...creating(`${pathOf(id)}/rotate`, input, asked), method: 'PUT' }),
    test: (id, asked = {}) => documentOf(connection, creating(`${pathOf(id)}/test`, {}, asked)),
    replay: (id, input, asked = {}) => documentOf(connection, creating(`${pathOf(id)}/replay`, input, asked)),
    deliveries: (id) => listClient(connection, `${pathOf(id)}/deliveries`),
    delivery: (id, deliveryId, asked = {}) =>
      documentOf(connection, reading(`${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}`, asked)),
  }
}

function pathOf(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}
