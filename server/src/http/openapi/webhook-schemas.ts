import {
  IN_FLIGHT_DEFAULT,
  IN_FLIGHT_MAX,
  KEEP_HOURS_DEFAULT,
  KEEP_HOURS_MAX,
  PER_PAGE_MAX,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_TYPES_MAX,
  WEBHOOK_URL_MAX,
} from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { eventTypes } from '@kith/contract/webhooks/event-types'
import {
  deliveryStates,
  disabledReasons,
  settableStates,
  webhookPayloads,
  webhookStates,
} from '@kith/contract/webhooks/webhook'
import { paged } from './list-schemas.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import { closed, mapped, orNull, ref, type Schema } from './schema.ts'

const whole = { type: 'integer', minimum: 0 }
const textOrNull = { type: ['string', 'null'] }

const url: Schema = {
  type: 'string',
  format: 'uri',
  maxLength: WEBHOOK_URL_MAX,
  description:
    'An `https` address without credentials and fragment. It must not be private: each attempt resolves the name and checks all its addresses.',
}
const types: Schema = {
  type: 'array',
  items: { type: 'string', enum: eventTypes },
  minItems: 1,
  maxItems: WEBHOOK_TYPES_MAX,
  description:
    'Which events are sent: `<resource>.<kind>`, `<resource>.*` or `*`. With a filter, `<resource>.left` comes with `updated` and `restored`. `feed.reset` always comes.',
}
const filter: Schema = {
  type: ['object', 'null'],
  properties: mapped(resourceNames, () => ({ type: 'object' })),
  additionalProperties: false,
  description: 'By resource, a filter as in its changes feed.',
}
const changed: Schema = {
  type: ['object', 'null'],
  properties: mapped(resourceNames, () => ({ type: 'array', items: { type: 'string' } })),
  additionalProperties: false,
  description: 'By resource, the names of which an update must have touched one, as in its changes feed.',
}
const description: Schema = { ...textOrNull, maxLength: WEBHOOK_DESCRIPTION_MAX }
const from: Schema = {
  ...textOrNull,
  description: 'Where it begins: `now` (default), or a cursor of the changes feed from after the hand-off.',
}
const inFlight: Schema = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: IN_FLIGHT_MAX,
  description: `How many events are sent at once, of different records. ${IN_FLIGHT_DEFAULT} unless sent.`,
}
const payload: Schema = {
  anyOf: [{ type: 'string', enum: webhookPayloads }, { type: 'null' }],
  description: '`thin` leaves `record` out.',
}
const excludeOwn: Schema = {
  type: ['boolean', 'null'],
  description: 'Leaves out changes made by the token that created the endpoint.',
}

/** Endpoints that receive changes, and the log of their deliveries. */
export function webhookSchemas(): Record<string, Schema> {
  const settings = { url, types, description, filter, changed, payload, exclude_own: excludeOwn }
  const written = { ...settings, max_in_flight: inFlight, from }
  const state = {
    anyOf: [{ type: 'string', enum: settableStates }, { type: 'null' }],
    description: 'A disabled endpoint that becomes active continues at its position, or at `from`.',
  }
  return {
    WebhookCreate: closed(written, { required: ['url', 'types'] }),
    WebhookUpdate: closed({ ...written, state }, { required: [] }),
    WebhookRotate: closed(
      {
        keep_hours: {
          type: ['integer', 'null'],
          minimum: 0,
          maximum: KEEP_HOURS_MAX,
          default: KEEP_HOURS_DEFAULT,
          description: 'For how many hours the old secret also signs.',
        },
      },
      { required: [] },
    ),
    WebhookReplay: {
      oneOf: [
        closed({ event_id: ref('Id') }),
        closed({ from_sequence: { type: 'integer', minimum: 1 }, to_sequence: { type: 'integer', minimum: 1 } }),
        closed({ since: { type: 'string' }, until: { type: 'string' } }),
        closed({ only: { type: 'string', const: 'failed' } }),
      ],
    },
    ReplayDocument: closed({ meta: closed({ count: whole }) }),
    Webhook: webhook({}),
    WebhookWithSecret: webhook({
      secret: { type: 'string', description: 'Signs the deliveries (Standard Webhooks). Shown this once.' },
    }),
    WebhookDocument: closed({ data: ref('Webhook') }),
    WebhookSecretDocument: closed({ data: ref('WebhookWithSecret') }),
    WebhookList: closed({ data: { type: 'array', items: ref('Webhook'), maxItems: PER_PAGE_MAX }, ...paged }),
    Delivery: delivery(),
    DeliveryDocument: closed({ data: ref('Delivery') }),
    DeliveryList: closed({ data: { type: 'array', items: ref('Delivery'), maxItems: PER_PAGE_MAX }, ...paged }),
  }
}

function webhook(more: Record<string, Schema>): Schema {
  const time = orNull(ref('Timestamp'))
  return closed({
    id: ref('Id'),
    type: { type: 'string', const: 'webhooks' },
    attributes: closed({
      ...{ url, types, description, filter, changed },
      payload: { type: 'string', enum: webhookPayloads },
      exclude_own: { type: 'boolean' },
      max_in_flight: { type: 'integer', minimum: 1, maximum: IN_FLIGHT_MAX },
      state: { type: 'string', enum: webhookStates },
      reason: { ...orNull({ type: 'string', enum: disabledReasons }), description: 'Why it is disabled.' },
      position: closed({
        sequence: whole,
        behind: { ...whole, description: 'The number of entries of the feed after the position.' },
        blocked: { ...whole, description: 'The number of records whose events wait for another attempt.' },
        oldest_at: { ...time, description: 'The time of the oldest event that is not delivered yet.' },
      }),
      ...{ last_success_at: time, last_failure_at: time },
      ...{ created_at: ref('Timestamp'), updated_at: ref('Timestamp'), creator_id: ref('Id') },
      ...more,
    }),
  })
}

function delivery(): Schema {
  const headers = { type: 'object', additionalProperties: { type: 'string' } }
  const message = closed({ headers, body: { type: 'string' } })
  const attempt = closed({
    at: ref('Timestamp'),
    status: { type: ['integer', 'null'], description: 'Null if there was no response.' },
    ms: { type: 'integer', minimum: 0 },
    error: {
      ...textOrNull,
      description: 'Null after a 2xx. `blocked_address`: the name resolves to an address that is not allowed.',
    },
    request: message,
    response: orNull(message),
  })
  return closed({
    id: ref('Id'),
    type: { type: 'string', const: 'deliveries' },
    attributes: closed({
      event_id: ref('Id'),
      type: { type: 'string' },
      record_id: orNull(ref('Id')),
      sequence: { type: ['integer', 'null'] },
      state: { type: 'string', enum: deliveryStates },
      replay: { type: 'boolean' },
      created_at: ref('Timestamp'),
      next_attempt_at: orNull(ref('Timestamp')),
      attempts: { type: 'array', items: attempt },
    }),
  })
}

export const webhookParameters: Record<string, Schema> = {
  WebhookId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The ID of the webhook.',
    schema: { type: 'string' },
    example: sampleIds.opportunities,
  },
  DeliveryId: {
    name: 'delivery_id',
    in: 'path',
    required: true,
    description: 'The ID of the delivery.',
    schema: { type: 'string' },
    example: sampleIds.tasks,
  },
  DeliveryState: {
    name: 'state',
    in: 'query',
    description: 'Only deliveries in this state.',
    schema: { type: 'string', enum: deliveryStates },
  },
  DeliveryRecord: {
    name: 'record_id',
    in: 'query',
    description: 'Only deliveries of this record.',
    schema: { type: 'string' },
  },
}

export const sampleWebhookCreate = {
  url: 'https://hooks.example.com/kith',
  types: ['companies.*', 'people.created'],
  filter: { companies: { name: { $contains: 'labs' } } },
}

export const sampleWebhook = {
  id: sampleIds.opportunities,
  type: 'webhooks',
  attributes: {
    ...sampleWebhookCreate,
    description: null,
    changed: null,
    ...{ payload: 'full', exclude_own: false, max_in_flight: IN_FLIGHT_DEFAULT, state: 'active', reason: null },
    position: { sequence: 4711, behind: 0, blocked: 0, oldest_at: null },
    ...{ last_success_at: sampleTime, last_failure_at: null, created_at: sampleTime, updated_at: sampleTime },
    creator_id: sampleIds.users,
  },
}

export const sampleSecret = {
  ...sampleWebhook,
  attributes: { ...sampleWebhook.attributes, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1xR0Zk1nq2E=' },
}

export const sampleDelivery = {
  id: sampleIds.tasks,
  type: 'deliveries',
  attributes: {
    ...{ event_id: sampleIds.notes, type: 'companies.updated', record_id: sampleIds.companies, sequence: 4711 },
    ...{ state: 'delivered', replay: false, created_at: sampleTime, next_attempt_at: null },
    attempts: [
      {
        ...{ at: sampleTime, status: 204, ms: 35, error: null },
        request: { headers: { 'webhook-id': sampleIds.notes }, body: '{"type":"companies.updated"}' },
        response: { headers: {}, body: '' },
      },
    ],
  },
}

/** The bodies of the requests about webhooks. */
export function webhookBodies(): Record<string, Schema> {
  return mapped(['WebhookCreate', 'WebhookUpdate', 'WebhookRotate', 'WebhookReplay'], (name) => ({
    required: name !== 'WebhookRotate',
    content: mapped(['application/json', 'application/vnd.api+json'], () => ({
      schema: ref(name),
      examples: { [name]: { $ref: `#/components/examples/${name}` } },
    })),
  }))
}
