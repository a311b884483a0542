import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import { DELIVERY_MAX_BYTES } from '@kith/contract/limits'

/** What is sent: an id, which stays the same with each attempt, and the body as text. */
export type WebhookEvent = { id: string; type: string; body: string }

/** An entry of the feed, as the server or a client reads it. */
type Entry = { id: string; attributes: ChangeAttributes<unknown> }

/** The event of an entry. A record that is too large is left out. */
export function eventOf({ id, attributes }: Entry, cursor: string): WebhookEvent {
  const type = `${attributes.resource}.${attributes.kind}`
  const write = (data: object) => JSON.stringify({ type, timestamp: attributes.at, data })
  const body = write({ id, ...attributes, cursor })
  if (Buffer.byteLength(body) <= DELIVERY_MAX_BYTES) return { id, type, body }
  const { record: _, ...rest } = attributes
  return { id, type, body: write({ id, ...rest, cursor, truncated: true }) }
}

type Reset = { id: string; at: string; reason: 'expired' | 'restored'; resync: string; cursor: string }

/** Tells a receiver that events are missing, and where to read everything again. */
export function resetEvent({ id, at, reason, resync, cursor }: Reset): WebhookEvent {
  const type = 'feed.reset'
  return { id, type, body: JSON.stringify({ type, timestamp: at, data: { reason, resync, cursor } }) }
}

/** A test asks for no more than an answer. */
export function testEvent(id: string, { at, endpoint_id }: { at: string; endpoint_id: string }): WebhookEvent {
  const type = 'webhook.test'
  return { id, type, body: JSON.stringify({ type, timestamp: at, data: { endpoint_id } }) }
}
