import type { BuiltInName } from '@kith/contract/resource'
import type { Sent } from '@kith/contract/shape'
import type {
  Delivery,
  DeliveryState,
  newWebhook,
  Replay,
  Webhook,
  webhookChanges,
} from '@kith/contract/webhooks/webhook'
import { creating, deleting, documentOf, reading, updating } from './calls.ts'
import type { FieldTypes } from './custom-values.ts'
import type { Filter } from './filter.ts'
import { type ListClient, listClient } from './list-client.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import type { AnyOf } from './registry-types.ts'
import { type Connection, send } from './transport.ts'

/** Filters know the custom fields of the workspace. */
type Typed<Input, F extends FieldTypes> = Omit<Input, 'filter'> & {
  readonly filter?:
    | ({ readonly [R in BuiltInName]?: Filter<F, R> | undefined } & Readonly<Record<string, object | undefined>>)
    | null
    | undefined
}

export type CreateWebhookInput<F extends FieldTypes = FieldTypes> = Typed<Sent<typeof newWebhook>, F>

/** Absent attributes are kept. `from` needs `state: 'active'`. */
export type UpdateWebhookInput<F extends FieldTypes = FieldTypes> = Typed<AnyOf<Sent<typeof webhookChanges>>, F>

export type WebhookObject = { readonly id: string; readonly type: 'webhooks'; readonly attributes: Webhook }

/** With the secret that signs its requests, which is shown this once. */
type WithSecret = WebhookObject & { readonly attributes: { readonly secret: string } }

export type DeliveryObject = { readonly id: string; readonly type: 'deliveries'; readonly attributes: Delivery }

type DeliveryQuery = { readonly state?: DeliveryState | undefined; readonly record_id?: string | undefined }
type Answer<T> = Promise<{ readonly data: T }>

/** Endpoints to which the service sends changes. */
export type WebhooksClient<F extends FieldTypes = FieldTypes> = ListClient<WebhookObject> & {
  create(input: CreateWebhookInput<F>, options?: WriteOptions): Answer<WithSecret>
  read(id: string, options?: CallOptions): Answer<WebhookObject>
  update(id: string, input: UpdateWebhookInput<F>, options?: WriteOptions): Answer<WebhookObject>
  delete(id: string, options?: WriteOptions): Promise<void>
  /** Makes a new secret. The old one also signs for `keep_hours` (24). */
  rotate(id: string, input?: { readonly keep_hours?: number | undefined }, options?: WriteOptions): Answer<WithSecret>
  /** Sends a test event now, and returns its delivery, for any answer of the receiver. */
  test(id: string, options?: WriteOptions): Answer<DeliveryObject>
  /** Sends events again. Returns how many. */
  replay(id: string, input: Replay, options?: WriteOptions): Promise<{ readonly meta: { readonly count: number } }>
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
