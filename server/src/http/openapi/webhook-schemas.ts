import { storedKinds } from '@kith/contract/changes/change-kind'
import {
  DELIVERY_MAX_BYTES,
  IN_FLIGHT_DEFAULT,
  IN_FLIGHT_MAX,
  KEEP_HOURS_DEFAULT,
  KEEP_HOURS_MAX,
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
import { changeEventTypes } from './event-operations.ts'
import { changeAttributes, requiredOfChanges } from './job-schemas.ts'
import { documentOf, pageOf } from './record-schemas.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import {
  closed,
  constant,
  enumOf,
  inPath,
  inQuery,
  is,
  mapped,
  objectOf,
  orNull,
  ref,
  type Schema,
  says,
} from './schema.ts'

const cursor: Schema = says(is.text, 'The position in the changes feed after this event.')

export const sampleEvents = {
  ChangeEvent: {
    type: 'companies.deleted',
    timestamp: sampleTime,
    data: {
      id: sampleIds.notes,
      sequence: 4711,
      kind: 'deleted',
      resource: 'companies',
      record_id: sampleIds.companies,
      at: sampleTime,
      changed: [],
      merged_into: null,
      external_ids: {},
      origin: { source: 'web', actor_id: sampleIds.users, token_id: null, own: false },
      record: null,
      cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0',
    },
  },
  FeedResetEvent: {
    type: 'feed.reset',
    timestamp: sampleTime,
    data: {
      reason: 'expired',
      resync: 'http://localhost:3000/api/v1/changes?cursor=start',
      cursor: 'WyIwMWtiOHc0ZDVlNmY3ZzhoOWowazFtMm4zcCIsNDcxMV0',
    },
  },
  WebhookTestEvent: {
    type: 'webhook.test',
    timestamp: sampleTime,
    data: { endpoint_id: sampleIds.opportunities },
  },
}

const url: Schema = {
  type: 'string',
  format: 'uri',
  maxLength: WEBHOOK_URL_MAX,
  description:
    'An `https` address without credentials and fragment. It must not be private: each attempt resolves the name and checks all its addresses.',
}

const types: Schema = {
  type: 'array',
  items: enumOf(eventTypes),
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
  properties: mapped(resourceNames, () => ({ type: 'array', items: is.text })),
  additionalProperties: false,
  description: 'By resource, the names of which an update must have touched one, as in its changes feed.',
}

const description: Schema = { ...is.textOrNull, maxLength: WEBHOOK_DESCRIPTION_MAX }

const from: Schema = says(
  is.textOrNull,
  'Where it begins: `now` (default), or a cursor of the changes feed from after the hand-off.',
)

const inFlight: Schema = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: IN_FLIGHT_MAX,
  description: `How many events are sent at once, of different records. ${IN_FLIGHT_DEFAULT} unless sent.`,
}

const payload: Schema = says(orNull(enumOf(webhookPayloads)), '`thin` leaves `record` out.')

const excludeOwn: Schema = says(is.flagOrNull, 'Leaves out changes made by the token that created the endpoint.')

/** Endpoints that receive changes, and the log of their deliveries. */
export function webhookSchemas(): Record<string, Schema> {
  const settings = { url, types, description, filter, changed, payload, exclude_own: excludeOwn }
  const written = { ...settings, max_in_flight: inFlight, from }
  const state = says(
    orNull(enumOf(settableStates)),
    'A disabled endpoint that becomes active continues at its position, or at `from`.',
  )
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
        closed({ since: is.text, until: is.text }),
        closed({ only: constant('failed') }),
      ],
    },
    ReplayDocument: closed({ meta: closed({ count: is.whole }) }),
    Webhook: webhook({}),
    WebhookWithSecret: webhook({
      secret: says(is.text, 'Signs the deliveries (Standard Webhooks). Shown this once.'),
    }),
    WebhookDocument: documentOf('Webhook'),
    WebhookSecretDocument: documentOf('WebhookWithSecret'),
    WebhookList: pageOf('Webhook'),
    Delivery: delivery(),
    DeliveryDocument: documentOf('Delivery'),
    DeliveryList: pageOf('Delivery'),
  }
}

const WHY =
  'Why it is disabled. `gone`: the receiver returned 410. `failing`: five days of only failures. `creator`: its creator ' +
  'has left. `filter`: a field or an option in its filter is gone. `token`: the token or connection that created it or ' +
  'last set its `url` was revoked or has expired. `role`: its creator has become a viewer. `password`: the password of ' +
  'its creator was reset. After the last three, the member who makes it active becomes its creator.'

function webhook(more: Record<string, Schema>): Schema {
  const time = orNull(ref('Timestamp'))
  return objectOf('webhooks', {
    url,
    types,
    description,
    filter,
    changed,
    payload: enumOf(webhookPayloads),
    exclude_own: is.flag,
    max_in_flight: { type: 'integer', minimum: 1, maximum: IN_FLIGHT_MAX },
    state: enumOf(webhookStates),
    reason: says(orNull(enumOf(disabledReasons)), WHY),
    position: closed({
      sequence: is.whole,
      behind: says(is.whole, 'The number of entries of the feed after the position.'),
      blocked: says(is.whole, 'The number of records whose events wait for another attempt.'),
      oldest_at: says(time, 'The time of the oldest event that is not delivered yet.'),
    }),
    last_success_at: time,
    last_failure_at: time,
    created_at: ref('Timestamp'),
    updated_at: ref('Timestamp'),
    creator_id: ref('Id'),
    ...more,
  })
}

function delivery(): Schema {
  const message = closed({ headers: { type: 'object', additionalProperties: is.text }, body: is.text })
  const attempt = closed({
    at: ref('Timestamp'),
    status: { type: ['integer', 'null'], description: 'Null if there was no response.' },
    ms: is.whole,
    error: says(
      is.textOrNull,
      'Null after a 2xx. `blocked_address`: the name resolves to an address that is not allowed.',
    ),
    request: message,
    response: orNull(message),
  })
  return objectOf('deliveries', {
    event_id: ref('Id'),
    type: is.text,
    record_id: orNull(ref('Id')),
    sequence: { type: ['integer', 'null'] },
    state: enumOf(deliveryStates),
    replay: is.flag,
    created_at: ref('Timestamp'),
    next_attempt_at: orNull(ref('Timestamp')),
    attempts: { type: 'array', items: attempt },
  })
}

export const webhookParameters: Record<string, Schema> = {
  WebhookId: inPath('id', 'The ID of the webhook.', { example: sampleIds.opportunities }),
  DeliveryId: inPath('delivery_id', 'The ID of the delivery.', { example: sampleIds.tasks }),
  DeliveryState: inQuery('state', 'Only deliveries in this state.', { schema: enumOf(deliveryStates) }),
  DeliveryRecord: inQuery('record_id', 'Only deliveries of this record.'),
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
    payload: 'full',
    exclude_own: false,
    max_in_flight: IN_FLIGHT_DEFAULT,
    state: 'active',
    reason: null,
    position: { sequence: 4711, behind: 0, blocked: 0, oldest_at: null },
    last_success_at: sampleTime,
    last_failure_at: null,
    created_at: sampleTime,
    updated_at: sampleTime,
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
    event_id: sampleIds.notes,
    type: 'companies.updated',
    record_id: sampleIds.companies,
    sequence: 4711,
    state: 'delivered',
    replay: false,
    created_at: sampleTime,
    next_attempt_at: null,
    attempts: [
      {
        at: sampleTime,
        status: 204,
        ms: 35,
        error: null,
        request: { headers: { 'webhook-id': sampleIds.notes }, body: '{"type":"companies.updated"}' },
        response: { headers: {}, body: '' },
      },
    ],
  },
}

/** The events that webhooks receive. */
export function eventSchemas(): Record<string, Schema> {
  const timestamp = ref('Timestamp')
  const truncated = {
    type: 'boolean',
    const: true,
    description: `Only where \`record\` is left out because the body would be larger than ${DELIVERY_MAX_BYTES / 1024} KiB.`,
  }
  // Events are never sent for a snapshot.
  const told = { sequence: { type: 'integer', minimum: 1 }, kind: enumOf([...storedKinds, 'left']) }
  const required = ['id', ...requiredOfChanges, 'cursor']
  return {
    ChangeEvent: closed({
      type: enumOf(changeEventTypes),
      timestamp,
      data: closed({ id: ref('Id'), ...changeAttributes(), ...told, cursor, truncated }, { required }),
    }),
    FeedResetEvent: closed({
      type: constant('feed.reset'),
      timestamp,
      data: closed({
        reason: enumOf(['expired', 'restored']),
        resync: { type: 'string', format: 'uri', description: 'Where to read everything again.' },
        cursor,
      }),
    }),
    WebhookTestEvent: closed({
      type: constant('webhook.test'),
      timestamp,
      data: closed({ endpoint_id: ref('Id') }),
    }),
  }
}
