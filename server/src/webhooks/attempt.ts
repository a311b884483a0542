import { createHmac } from 'node:crypto'
import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import { newId } from '@kith/contract/id'
import { DELIVERY_MAX_BYTES, LOGGED_REQUEST_BYTES } from '@kith/contract/limits'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import type { UrlRules } from '../outbound/allowed-url.ts'
import { keyOf, signingSecrets } from '../outbound/secrets.ts'
import type { Sender } from '../outbound/sender.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type DeliveryRow, deliveryTable } from '../storage/tables/deliveries.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { type DeliveryObject, presentDelivery } from './list-deliveries.ts'
import { requireWebhook } from './webhook.ts'

export type AttemptInput = {
  webhook: WebhookRow
  event: WebhookEvent
  /** 1 for the first. */
  number: number
  replay: boolean
}

const REDACTED = '[redacted]'

/** Sends a signed event once, and returns the entry for the log. */
export async function attempt(
  parts: { sender: Sender; secret: string; now(): Date },
  attempting: AttemptInput,
): Promise<DeliveryAttempt> {
  const { webhook, event, number, replay } = attempting
  const at = parts.now()
  const secrets = signingSecrets(parts.secret, webhook, at)
  const { id: endpoint_id, url } = webhook
  const headers = signedHeaders({ event, endpoint_id, number, replay, at, secrets })
  // A receiver must not get events that it cannot verify.
  const sent =
    secrets.length === 0
      ? { status: null, ms: 0, error: 'secret', response: null }
      : await parts.sender.send({ endpoint_id, url, headers, body: event.body })
  const { status, ms, error, response } = sent
  const request = { headers: { ...headers, 'webhook-signature': REDACTED }, body: startOf(event.body) }
  return { at: at.toISOString(), status, ms, error, request, response }
}

function startOf(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.length <= LOGGED_REQUEST_BYTES ? text : bytes.subarray(0, LOGGED_REQUEST_BYTES).toString('utf8')
}

/** How many milliseconds the receiver asks to wait, from the headers of its response. */
export function retryAfterMs({ status, response }: DeliveryAttempt, now: Date): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const raw = response?.headers['retry-after']?.trim()
  if (raw === undefined || raw === '') return undefined
  if (/^\d+$/.test(raw)) return Number(raw) * 1000
  const moment = Date.parse(raw)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime())
}

/** The headers of one attempt, with its signature. */
export function signedHeaders({
  event,
  endpoint_id,
  number,
  replay = false,
  at,
  secrets,
}: {
  event: WebhookEvent
  endpoint_id: string
  /** 1 for the first attempt. */
  number: number
  replay?: boolean
  at: Date
  /** The secrets that sign now, newest first. */
  secrets: readonly string[]
}) {
  const timestamp = Math.floor(at.getTime() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Kith-Webhooks/1.0',
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'kith-endpoint': endpoint_id,
    'kith-attempt': String(number),
    ...(replay ? { 'kith-replay': 'true' } : {}),
    'webhook-signature': signatureOf({ id: event.id, timestamp, body: event.body, secrets }),
  }
}

/** The `webhook-signature` of Standard Webhooks 1.0.0. */
function signatureOf({
  id,
  timestamp,
  body,
  secrets,
}: {
  /** The id of the event, and the time of the attempt in seconds. */
  id: string
  timestamp: number
  body: string
  /** The secrets that sign now, newest first. */
  secrets: readonly string[]
}): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`).join(' ')
}

/** An event to send: an id, which stays the same with each attempt, and the body as text. */
export type WebhookEvent = { id: string; type: string; body: string }

/** The event of an entry. A record that is too large is omitted, with the values of the change. */
export function eventOf(
  { id, attributes }: { id: string; attributes: ChangeAttributes<unknown> },
  cursor: string,
): WebhookEvent {
  const type = `${attributes.resource}.${attributes.kind}`
  const write = (data: object) => JSON.stringify({ type, timestamp: attributes.at, data })
  const body = write({ id, ...attributes, cursor })
  if (Buffer.byteLength(body) <= DELIVERY_MAX_BYTES) return { id, type, body }
  const { record: _, changes: __, ...rest } = attributes
  return { id, type, body: write({ id, ...rest, cursor, truncated: true }) }
}

/** Tells a receiver that events are missing, and where to read all data again. */
export function resetEvent({
  id,
  at,
  reason,
  resync,
  cursor,
}: {
  id: string
  at: string
  reason: 'expired' | 'restored'
  resync: string
  cursor: string
}): WebhookEvent {
  const type = 'feed.reset'
  return { id, type, body: JSON.stringify({ type, timestamp: at, data: { reason, resync, cursor } }) }
}

/** A test event only checks that the receiver answers. */
export function testEvent(id: string, { at, endpoint_id }: { at: string; endpoint_id: string }): WebhookEvent {
  const type = 'webhook.test'
  return { id, type, body: JSON.stringify({ type, timestamp: at, data: { endpoint_id } }) }
}

/** A test event that was sent, for `storeTest`. */
type TestAttempt = { event: WebhookEvent; attempt: DeliveryAttempt }

/** Sends a test event. Not in a transaction: a receiver may be slow. */
export async function sendTest(scope: Scope, id: string, rules: UrlRules): Promise<TestAttempt> {
  requireAbilities(scope, ['create'])
  const webhook = await requireWebhook(scope, id)
  const at = scope.now()
  const event = testEvent(newId(at.getTime()), { at: at.toISOString(), endpoint_id: webhook.id })
  // Loaded with the first test: a thread that sends none saves the memory.
  const { openSender } = await import('../outbound/sender.ts')
  const sender = openSender({ rules: () => rules })
  try {
    const parts = { sender, secret: scope.secret, now: scope.now }
    return { event, attempt: await attempt(parts, { webhook, event, number: 1, replay: false }) }
  } finally {
    await sender.close()
  }
}

/** Adds a test event that was sent to the log. It is not retried and does not move the position. */
export function storeTest(scope: Scope, id: string, { event, attempt }: TestAttempt): Promise<DeliveryObject> {
  requireAbilities(scope, ['create'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireWebhook(inside, id)
    const row: DeliveryRow = {
      webhook_id: webhook.id,
      id: newId(inside.now().getTime()),
      event_id: event.id,
      type: event.type,
      record_id: null,
      sequence: null,
      state: attempt.error === null ? 'delivered' : 'failed',
      replay: 0,
      created_at: attempt.at,
      next_attempt_at: null,
      attempts: JSON.stringify(attempt),
    }
    await deliveryTable.insertAll(inside, [row])
    return presentDelivery(row)
  })
}
