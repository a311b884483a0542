import { LOGGED_REQUEST_BYTES } from '@kith/contract/limits'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import { signingSecrets } from '../secrets.ts'
import type { WebhookEvent } from './event.ts'
import { signedHeaders } from './headers.ts'
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
