import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DELIVERY_SECONDS } from '@kith/contract/limits'
import type { BuiltInName } from '@kith/contract/resource'
import {
  type ChangeEntry,
  type ChangePage,
  type Client,
  type FeedResource,
  type FieldTypes,
  type Filter,
  KithError,
} from '@kith/sdk'
import { secretOf } from '../outbound/secrets.ts'
import { eventOf, signedHeaders, type WebhookEvent } from '../webhooks/attempt.ts'
import { BadUsage, type Context, defineCommand, messageOf, OutputClosed, textIn } from './command.ts'
import { clientFor, overHttp, remoteOptions, tokenFor } from './remote.ts'
import { filterIn } from './table.ts'

const ENTRIES_PER_RESPONSE = 100

const AGAIN_SECONDS = 1

/** The errors of a service that restarts or is at capacity. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'busy', 'rate_limited', 'server_error'])

/** The value of the `kith-endpoint` header, because there is no endpoint. */
const ENDPOINT = 'listen'

export const listen = defineCommand({
  about: 'Print changes as lines of JSON until Ctrl-C, or send them as signed webhooks to a local address.',
  options: {
    resource: { value: 'R', about: 'Only these resources, joined by commas; also custom_fields and users.' },
    filter: {
      value: 'JSON',
      about: 'Only records that meet this filter, written as in a query; - for standard input. Needs one --resource.',
    },
    cursor: { value: 'C', about: 'Begin at this cursor of the changes feed. Default: now.' },
    since: { value: 'T', about: 'Begin at this time, such as 2026-11-17T09:00:00Z.' },
    forward: { value: 'ADDRESS', about: 'Send each change there, such as http://localhost:4000/hook.' },
    'print-secret': { about: 'Print the secret that signs what --forward sends, and end. It depends on the token.' },
    ...remoteOptions,
  },
  async run(values, context) {
    const { cursor, since } = values
    if (cursor !== undefined && since !== undefined) throw new BadUsage('Use --cursor or --since, not both.')
    const filter = values.filter === undefined ? undefined : await textIn(values.filter, context)
    const parts = partsOf(values.resource, filter)
    const address = values.forward === undefined ? undefined : forwardAddress(values.forward)
    const secret = listenSecret(tokenFor(values, context))
    if (values['print-secret']) return { text: secret, json: { secret } }
    const signal = context.ending()
    const print: Receive = (entry) => context.write(`${JSON.stringify(entry)}\n`)
    await overHttp(async () => {
      // The loop below retries for as long as it takes.
      const client = clientFor(values, context, { signal, retries: 0 })
      if (address !== undefined) context.tell(secret)
      const receive = address === undefined ? print : forwardTo(address, { secret, context, signal })
      const place = since === undefined ? { cursor: cursor ?? 'now' } : { since }
      await followFeed(client, { place, parts, receive, signal, isForward: address !== undefined }, context)
    })
    return undefined
  },
})

function partsOf(resource: string | undefined, filter: string | undefined): FollowedFeed['parts'] {
  const resources = resource?.split(',').map((name) => name.trim())
  if (filter === undefined) return resources === undefined ? {} : { resources }
  const [only, ...others] = resources ?? []
  if (only === undefined || others.length > 0) throw new BadUsage('--filter needs --resource with one resource.')
  // The service checks both.
  return { resource: only as BuiltInName, filter: filterIn(filter) as Filter<FieldTypes, BuiltInName> }
}

function forwardAddress(text: string): string {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new BadUsage(`--forward must be an address such as http://localhost:4000/hook, not ${text}.`)
}

/** The signing secret. It stays the same for a token, so that a receiver can be configured once. */
function listenSecret(token: string): string {
  return secretOf(createHmac('sha256', token).update('kith listen').digest())
}

/** Sends each entry as a webhook, one after the other. A failure is reported and not retried. */
function forwardTo(
  address: string,
  { secret, context, signal }: { secret: string; context: Context; signal: AbortSignal },
): Receive {
  return async (entry, cursor) => {
    const event = eventOf(entry, cursor)
    const at = context.now()
    const headers = signedHeaders({ event, endpoint_id: ENDPOINT, number: 1, at, secrets: [secret] })
    const outcome = await post(address, { headers, body: event.body, signal })
    // The entry may or may not have arrived. The last cursor repeats it.
    signal.throwIfAborted()
    const isDelivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    if (isDelivered) await context.write(`${outcome} ${shown(event)}\n`)
    else context.tell(`Failed: ${typeof outcome === 'number' ? `HTTP ${outcome}` : outcome}, ${shown(event)}`)
  }
}

function shown({ type, id }: WebhookEvent): string {
  return `${type} ${id}`
}

/** The status of the response, or the error. Redirects are not followed. */
async function post(
  address: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<number | string> {
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

/** Receives an entry. `cursor` is a position from which no later entry is missed. */
type Receive = (entry: ChangeEntry, cursor: string) => Promise<void>

type FollowedFeed = {
  place: { cursor: string } | { since: string }
  parts: { resources?: readonly FeedResource[] } | { resource: BuiltInName; filter: Filter<FieldTypes, BuiltInName> }
  receive: Receive
  /** Whether entries are sent as webhooks, which have no snapshot. */
  isForward: boolean
  signal: AbortSignal
}

/** Passes on every change after a position until the signal. Then prints the cursor to continue from. */
async function followFeed(client: Client, followed: FollowedFeed, context: Context): Promise<void> {
  const { place, parts, signal, receive } = followed
  let cursor: string | undefined

  async function take({ data, meta }: ChangePage): Promise<void> {
    if (followed.isForward && meta.phase === 'snapshot') {
      throw new BadUsage('--forward sends changes, and this --cursor begins before them. Use one of a change, or now.')
    }
    const before = cursor ?? meta.next_cursor
    for (const [index, entry] of data.entries()) {
      // The feed has one cursor per response, not per entry. The earlier cursor repeats entries, but misses none.
      await receive(entry, index === data.length - 1 ? meta.next_cursor : before)
      signal.throwIfAborted()
    }
    cursor = meta.next_cursor
  }

  try {
    // `now` and times become a cursor at once, so that no change is missed when a later call fails.
    await take(await client.changes.list({ ...parts, ...place, limit: 1 }))
    context.tell('Waiting for changes. Press Ctrl-C to stop.')
    for (let isLost = false; ; ) {
      try {
        const query = { ...parts, from: cursor, limit: ENTRIES_PER_RESPONSE }
        for await (const page of client.changes.follow(query).pages()) {
          isLost = false
          await take(page)
        }
      } catch (error) {
        if (!(error instanceof KithError) || !PASSING.has(error.kind)) throw error
        if (!isLost) context.tell(`Retrying: ${error.message}`)
        isLost = true
        await pause((error.retry_after ?? AGAIN_SECONDS) * 1000, undefined, { signal })
      }
    }
  } catch (error) {
    // The reader of the output may have ended: `kith listen | head -1`.
    if (!signal.aborted && !(error instanceof OutputClosed)) throw error
  } finally {
    if (cursor !== undefined) context.tell(`Last cursor: ${cursor}`)
  }
}
