import { createHmac } from 'node:crypto'
import { DELIVERY_SECONDS } from '@kith/contract/limits'
import { secretOf } from '../webhooks/secrets.ts'
import { signedHeaders } from '../webhooks/send/attempt.ts'
import { eventOf, type WebhookEvent } from '../webhooks/send/event.ts'
import type { Context } from './command.ts'
import { messageOf } from './failure.ts'
import type { Receive } from './follow-feed.ts'

/** What the `kith-endpoint` header names: there is no endpoint. */
const ENDPOINT = 'listen'

/** The secret that signs. It stays the same for a token, so that a receiver can be configured once. */
export function listenSecret(token: string): string {
  return secretOf(createHmac('sha256', token).update('kith listen').digest())
}

type Forwarding = { secret: string; context: Context; signal: AbortSignal }

/** Sends each entry as a webhook, one after the other. A failure is reported and not repeated. */
export function forwardTo(address: string, { secret, context, signal }: Forwarding): Receive {
  return async (entry, cursor) => {
    const event = eventOf(entry, cursor)
    const at = context.now()
    const headers = signedHeaders({ event, endpoint_id: ENDPOINT, number: 1, at, secrets: [secret] })
    const outcome = await post(address, { headers, body: event.body, signal })
    // It may have arrived, or not. The last cursor repeats it.
    signal.throwIfAborted()
    const isDelivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    if (isDelivered) await context.write(`${outcome} ${shown(event)}\n`)
    else context.tell(`Failed: ${typeof outcome === 'number' ? `HTTP ${outcome}` : outcome}, ${shown(event)}`)
  }
}

function shown({ type, id }: WebhookEvent): string {
  return `${type} ${id}`
}

type Posting = { headers: Record<string, string>; body: string; signal: AbortSignal }

/** The status, or why there is none. Redirects are not followed. */
async function post(address: string, { headers, body, signal }: Posting): Promise<number | string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_SECONDS * 1000)])
  try {
    const response = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal: limited })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    if (limited.aborted) return `no response within ${DELIVERY_SECONDS} seconds`
    return `no response (${messageOf(error instanceof Error && error.cause ? error.cause : error)})`
  }
}
