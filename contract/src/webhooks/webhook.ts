import {
  type FeedResource,
  isRecordPart,
  namedResourcesOf,
  payloads,
  type StoredKind,
  storedKinds,
} from '../changes/change-kind.ts'
import { excerpt } from '../excerpt.ts'
import { parseId } from '../id.ts'
import type { Report } from '../issue.ts'
import {
  IN_FLIGHT_DEFAULT,
  IN_FLIGHT_MAX,
  KEEP_HOURS_DEFAULT,
  KEEP_HOURS_MAX,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_TYPES_MAX,
  WEBHOOK_URL_MAX,
} from '../limits.ts'
import { MOMENT_FORMS, parseMoment } from '../moment.ts'
import { suggestion } from '../nearest.ts'
import type { Schema } from '../resource.ts'
import * as is from '../shape.ts'

/** `failing`: the receiver does not accept events, and only one at a time is tried. */
export const webhookStates = ['active', 'paused', 'failing', 'disabled'] as const
export type WebhookState = (typeof webhookStates)[number]

export const settableStates = ['active', 'paused'] as const

const disabledReasons = ['gone', 'failing', 'creator', 'filter', 'token', 'role', 'password'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** Everything that the `types` of a webhook can name. */
function eventTypesOf(schema: Schema): string[] {
  const named = namedResourcesOf(schema).flatMap((resource) => [
    `${resource}.*`,
    ...storedKinds.map((kind) => `${resource}.${kind}`),
  ])
  return ['*', ...named]
}

const types: is.Shape<readonly string[]> = is.given(
  {
    type: 'array',
    items: { type: 'string', pattern: `^(\\*|[a-z][a-z0-9_]*\\.(\\*|${storedKinds.join('|')}))$` },
    minItems: 1,
    maxItems: WEBHOOK_TYPES_MAX,
    description:
      'Which events are sent: `<resource>.<kind>`, `<resource>.*` or `*`, which leaves out `files` and `comments`. With a filter, `<resource>.left` comes with `updated` and `restored`. `feed.reset` always comes.',
  },
  [],
)

function formsOf(schema: Schema): string {
  const resources = namedResourcesOf(schema).join(', ')
  return `Accepted: *, <resource>.* and <resource>.<kind>, with the resources ${resources} and the kinds ${storedKinds.join(', ')}.`
}

/** Reads the types of a webhook, each once. */
export function parseEventTypes(raw: unknown, schema: Schema, report: Report): string[] {
  const [known, forms] = [eventTypesOf(schema), formsOf(schema)]
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > WEBHOOK_TYPES_MAX) {
    report('types', `The types must be a list of 1 to ${WEBHOOK_TYPES_MAX} types of events. ${forms}`)
    return []
  }
  for (const [index, type] of raw.entries()) {
    if (typeof type === 'string' && known.includes(type)) continue
    report(`types.${index}`, `The types.${index} ${problemOf(type, known)} ${forms}`)
  }
  return [...new Set(raw.filter((type) => typeof type === 'string'))]
}

function problemOf(type: unknown, known: readonly string[]): string {
  if (typeof type !== 'string') return 'must be a text.'
  if (type === 'feed.reset') return 'cannot be feed.reset: it always comes.'
  if (type.endsWith('.left')) return `cannot be ${excerpt(type)}: it comes with updated and restored, under a filter.`
  return `does not name a type of event: ${excerpt(type)}.${suggestion(type, known)}`
}

/** Whether an event is among the types of a webhook. */
export function isOfTypes(types: readonly string[], { resource, kind }: { resource: FeedResource; kind: StoredKind }) {
  const isInAll = !isRecordPart(resource)
  return (isInAll && types.includes('*')) || types.includes(`${resource}.*`) || types.includes(`${resource}.${kind}`)
}

function byResource<T>(of: object, says: string) {
  const schema = { type: 'object', additionalProperties: of, description: says }
  return is.orNull(is.given<Readonly<Record<string, T>>>(schema))
}

const url: is.Shape<string> = is.given({
  type: 'string',
  format: 'uri',
  maxLength: WEBHOOK_URL_MAX,
  description:
    'An `https` address without credentials and fragment. It must not be private: each attempt resolves the name and checks all its addresses.',
})

/** What a caller sets of a webhook. `url`, `filter` and `changed` are read by its operations. */
export const webhookSettings = {
  url,
  types,
  description: is.orNull(is.text({ maxLength: WEBHOOK_DESCRIPTION_MAX })),
  filter: byResource<object>({ type: 'object' }, 'By resource, a filter as in its changes feed.'),
  changed: byResource<readonly string[]>(
    { type: 'array', items: { type: 'string' } },
    'By resource, the names of which an update must have touched one, as in its changes feed.',
  ),
  payload: is.or(
    'full',
    is.word(payloads, '`thin` leaves `record` out, `diff` adds `changes`: the values before and after.'),
  ),
  exclude_own: is.or(false, is.flag('Leaves out changes made by the token that created the endpoint.')),
  max_in_flight: is.or(
    IN_FLIGHT_DEFAULT,
    is.whole({
      from: 1,
      to: IN_FLIGHT_MAX,
      says: `How many events are sent at once, of different records. ${IN_FLIGHT_DEFAULT} unless sent.`,
    }),
  ),
} as const

const START = 'Where it begins: `now` (default), or a cursor of the changes feed from after the hand-off.'

export const newWebhook = {
  ...webhookSettings,
  from: is.orNull(
    is.checked(
      is.text({ says: START }).schema,
      (raw) => (typeof raw === 'string' && raw !== '' && raw !== 'start' ? raw : undefined),
      'must be now, or a cursor of the changes feed from after the hand-off.',
      '',
    ),
  ),
} as const

export const webhookChanges = {
  ...newWebhook,
  state: is.orNull(
    // Any state can be sent back as it was read.
    is.given<string>(is.word(settableStates).schema),
    'A disabled endpoint that becomes active continues at its position, or at `from`.',
  ),
} as const

const WHY =
  'Why it is disabled. `gone`: the receiver returned 410. `failing`: five days of only failures. `creator`: its creator ' +
  'has left. `filter`: a field or an option in its filter is gone. `token`: the token or connection that created it or ' +
  'last set its `url` was revoked or has expired. `role`: its creator has become a viewer. `password`: the password of ' +
  'its creator was reset. After the last three, the member who makes it active becomes its creator.'

export const webhook = {
  ...webhookSettings,
  state: is.word(webhookStates),
  reason: is.orNull(is.word(disabledReasons), WHY),
  position: is.object({
    sequence: is.whole(),
    behind: is.whole({ says: 'The number of entries of the feed after the position.' }),
    blocked: is.whole({ says: 'The number of records whose events wait for another attempt.' }),
    oldest_at: is.orNull(is.time(), 'The time of the oldest event that is not delivered yet.'),
  }),
  last_success_at: is.orNull(is.time()),
  last_failure_at: is.orNull(is.time()),
  created_at: is.time(),
  updated_at: is.time(),
  creator_id: is.id(),
} as const

export type Webhook = is.Shown<typeof webhook>

const webhookSecret = { secret: is.text({ says: 'Signs the deliveries (Standard Webhooks). Shown this once.' }) }

/** A new secret. */
export const rotation = {
  keep_hours: is.or(
    KEEP_HOURS_DEFAULT,
    is.whole({
      to: KEEP_HOURS_MAX,
      default: KEEP_HOURS_DEFAULT,
      says: 'For how many hours the old secret also signs.',
    }),
  ),
} as const

/** `failed`: given up. It can be replayed. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

const message = is.object({ headers: is.mapOf(is.text()), body: is.text() })

/** One try to deliver an event. */
const attempt = is.object({
  at: is.time(),
  status: is.orNull(is.whole(), 'Null if there was no response.'),
  ms: is.whole(),
  error: is.orNull(
    is.text(),
    'Null after a 2xx. `blocked_address`: the name resolves to an address that is not allowed.',
  ),
  request: message,
  response: is.orNull(message),
})
export type DeliveryAttempt = is.TypeOf<typeof attempt>

/** An event in the log of a webhook, with every attempt to deliver it. */
export const delivery = {
  event_id: is.id(),
  type: is.text(),
  record_id: is.orNull(is.id()),
  sequence: is.orNull(is.whole()),
  state: is.word(deliveryStates),
  replay: is.flag(),
  created_at: is.time(),
  next_attempt_at: is.orNull(is.time()),
  attempts: is.list(attempt),
} as const

export type Delivery = is.Shown<typeof delivery>

const eventId = is.checked(is.named('Id'), parseId, 'must be the ID of an event, as webhook-id shows it.', '')

const moment = is.checked(
  is.text().schema,
  (raw) => (typeof raw === 'string' ? parseMoment(raw) : undefined),
  `must be ${MOMENT_FORMS}. Both since and until are required.`,
  '',
)

const sequence = is.whole({ from: 1 })

/** Which events are sent again: one of these. */
export const replays = [
  { event_id: eventId },
  { from_sequence: sequence, to_sequence: sequence },
  { since: moment, until: moment },
  { only: is.word(['failed']) },
] as const

type EachSent<S> = S extends unknown ? is.Sent<S> : never
export type Replay = EachSent<(typeof replays)[number]>

export const webhookComponents = {
  WebhookCreate: is.sentSchema(newWebhook),
  WebhookUpdate: is.sentSchema(webhookChanges, { required: [] }),
  WebhookRotate: is.sentSchema(rotation, { required: [] }),
  WebhookReplay: { oneOf: replays.map((shapes) => is.sentSchema(shapes)) },
  ReplayDocument: is.closed({ meta: is.shownSchema({ count: is.whole() }) }),
  ...is.noun('Webhook', 'webhooks', { shown: webhook }),
  ...is.noun('WebhookWithSecret', 'webhooks', { shown: { ...webhook, ...webhookSecret } }),
  WebhookDocument: is.documentOf('Webhook'),
  WebhookSecretDocument: is.documentOf('WebhookWithSecret'),
  WebhookList: is.pageOf('Webhook'),
  ...is.noun('Delivery', 'deliveries', { shown: delivery, also: ['Document', 'List'] }),
}
