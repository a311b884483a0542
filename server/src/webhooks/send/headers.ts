import type { WebhookEvent } from './event.ts'
import { signatureOf } from './sign.ts'

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
