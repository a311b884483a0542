import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import type { FeedObject } from './changes.ts'
import type { FieldTypes } from './custom-values.ts'

/** The content of a webhook request: a change, a gap in the events, or a test. */
export type WebhookEvent<F extends FieldTypes = FieldTypes> =
  | WebhookChange<F>
  | { type: 'feed.reset'; timestamp: string; data: { reason: string; resync: string; cursor: string } }
  | { type: 'webhook.test'; timestamp: string; data: { endpoint_id: string } }

/** One entry of the feed, and the cursor after it. A record over 256 KiB is left out, and `truncated` is true. */
export type WebhookChange<F extends FieldTypes = FieldTypes> = {
  type: `${ChangeAttributes<unknown>['resource']}.${ChangeAttributes<unknown>['kind']}`
  timestamp: string
  data: { id: string } & ChangeAttributes<FeedObject<F>> & {
      cursor: string
      truncated?: boolean
    }
}

/** Why a request cannot be trusted. */
type WebhookFault = 'missing_header' | 'bad_timestamp' | 'too_old' | 'too_new' | 'wrong_signature' | 'not_json'

/** Thrown for a request that did not come from Kith, or came too late. Return 400 to it. */
export class WebhookError extends Error {
  readonly reason: WebhookFault

  constructor(reason: WebhookFault, message: string) {
    super(message)
    this.name = 'WebhookError'
    this.reason = reason
  }
}

/** The headers of a request: those of the Fetch API, of Node, or any object of them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const TOLERANCE_SECONDS = 300

/**
 * Checks that a request was signed with one of the secrets, by Standard Webhooks, and not too long ago. Returns its
 * event. `rawBody` is the body as it was received: parsed and written again, its signature would differ.
 */
export async function verifyWebhook<F extends FieldTypes = FieldTypes>(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent<F>> {
  const id = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const sent = signaturesIn(requireHeader(headers, 'webhook-signature'))
  requireRecent(timestamp, toleranceSeconds)
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    if (await isSigned(signed, secret, sent)) return eventIn<F>(body)
  }
  throw new WebhookError('wrong_signature', 'No signature of the request was made with one of the secrets.')
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name)
  if (value) return value
  throw new WebhookError('missing_header', `The request has no ${name} header.`)
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

function requireRecent(timestamp: string, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('bad_timestamp', 'The webhook-timestamp must be a number of seconds.')
  }
  const age = Math.floor(Date.now() / 1000) - Number(timestamp)
  if (age > tolerance) throw new WebhookError('too_old', `The request was signed ${age} s ago.`)
  if (age < -tolerance) throw new WebhookError('too_new', `The request was signed ${-age} s in the future.`)
}

/** The signatures of version 1. Others are left for later versions. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header.split(' ').flatMap((one) => {
    const [version, text] = one.split(',', 2)
    const bytes = version === 'v1' ? bytesIn(text ?? '') : undefined
    return bytes ? [bytes] : []
  })
}

/** The platform compares signatures in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  secret: string,
  sent: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const bytes = bytesIn(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('A secret of a webhook is whsec_ and base64.')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const signature of sent) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  return false
}

function eventIn<F extends FieldTypes>(body: Uint8Array): WebhookEvent<F> {
  try {
    // It is signed, so that Kith has written it.
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent<F>
  } catch {
    throw new WebhookError('not_json', 'The body is not JSON.')
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** Undefined if the text is not base64. */
function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
