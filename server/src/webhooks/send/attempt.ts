import { createHmac } from 'node:crypto'
import { LOGGED_REQUEST_BYTES } from '@kith/contract/limits'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import { keyOf, signingSecrets } from '../secrets.ts'
import type { WebhookEvent } from './event.ts'
import type { Sender } from './sender.ts'

export type Attempting = {
  webhook: WebhookRow
  event: WebhookEvent
  /** 1 for the first. */
  number: number
  replay: boolean
}

type AttemptParts = { sender: Sender; secret: string; now(): Date }

const REDACTED = '[redacted]'

/** Sends an event once, signed, and returns what the log shows of it. */
export async function attempt(parts: AttemptParts, attempting: Attempting): Promise<DeliveryAttempt> {
  const { webhook, event, number, replay } = attempting
  const at = parts.now()
  const secrets = signingSecrets(parts.secret, webhook, at)
  const { id: endpoint_id, url } = webhook
  const headers = signedHeaders({ event, endpoint_id, number, replay, at, secrets })
  // A receiver must not get what it cannot verify.
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

/** For how many milliseconds a receiver asks to wait, from the headers of its response. */
export function retryAfterMs({ status, response }: DeliveryAttempt, now: Date): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const raw = response?.headers['retry-after']?.trim()
  if (raw === undefined || raw === '') return undefined
  if (/^\d+$/.test(raw)) return Number(raw) * 1000
  const moment = Date.parse(raw)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now.getTime())
}

type Sent = {
  event: WebhookEvent
  endpoint_id: string
  /** 1 for the first attempt. */
  number: number
  replay?: boolean
  at: Date
  /** Those that sign now, the new one first. */
  secrets: readonly string[]
}

/** The headers of one attempt, with its signature. */
export function signedHeaders({ event, endpoint_id, number, replay = false, at, secrets }: Sent) {
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

type Signing = {
  /** The id of the event, and the time of the attempt in seconds. */
  id: string
  timestamp: number
  body: string
  /** Those that sign now, the new one first. */
  secrets: readonly string[]
}

/** The `webhook-signature` of Standard Webhooks 1.0.0. */
function signatureOf({ id, timestamp, body, secrets }: Signing): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`).join(' ')
}
