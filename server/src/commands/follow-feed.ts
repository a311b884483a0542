import { setTimeout as pause } from 'node:timers/promises'
import type { ResourceName } from '@kith/contract/resource'
import {
  type ChangeEntry,
  type ChangePage,
  type Client,
  type FeedResource,
  type FieldTypes,
  type Filter,
  KithError,
} from '@kith/sdk'
import { codeOf } from '../scope/error-code.ts'
import type { Context } from './command.ts'
import { BadUsage } from './failure.ts'

/** Takes an entry. `cursor` is a position from which nothing after the entry is missed. */
export type Receive = (entry: ChangeEntry, cursor: string) => Promise<void>

export type Followed = {
  place: { cursor: string } | { since: string }
  parts: { resources?: readonly FeedResource[] } | { resource: ResourceName; filter: Filter<FieldTypes, ResourceName> }
  receive: Receive
  /** Webhooks have no snapshot. */
  isForward: boolean
  /** Ends it. */
  signal: AbortSignal
}

const ENTRIES_PER_RESPONSE = 100
const AGAIN_SECONDS = 1
/** What a service that restarts or is at capacity returns. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'busy', 'rate_limited', 'server_error'])

/** Passes on every change from a place on until the signal. Then it says where to continue. */
export async function followFeed(client: Client, followed: Followed, context: Context): Promise<void> {
  const { place, parts, signal, receive } = followed
  let cursor: string | undefined

  async function take({ data, meta }: ChangePage): Promise<void> {
    if (followed.isForward && meta.phase === 'snapshot') {
      throw new BadUsage('--forward sends changes, and this --cursor begins before them. Use one of a change, or now.')
    }
    const before = cursor ?? meta.next_cursor
    for (const [index, entry] of data.entries()) {
      // The feed has a cursor for a response, not for each entry. An earlier one repeats entries, and misses none.
      await receive(entry, index === data.length - 1 ? meta.next_cursor : before)
      signal.throwIfAborted()
    }
    cursor = meta.next_cursor
  }

  try {
    // `now` and times become a cursor at once, so that no change is missed when a later call fails.
    await take(await client.changes.list({ ...parts, ...place, limit: 1 }))
    context.tell('Waiting for changes. Ctrl-C ends.')
    for (let isLost = false; ; ) {
      try {
        const query = { ...parts, from: cursor, limit: ENTRIES_PER_RESPONSE }
        for await (const page of client.changes.follow(query).pages()) {
          isLost = false
          await take(page)
        }
      } catch (error) {
        if (!(error instanceof KithError) || !PASSING.has(error.kind)) throw error
        if (!isLost) context.tell(`Trying again. ${error.message}`)
        isLost = true
        await pause((error.retry_after ?? AGAIN_SECONDS) * 1000, undefined, { signal })
      }
    }
  } catch (error) {
    // The reader of the lines may have ended: `kith listen | head -1`.
    if (!signal.aborted && codeOf(error) !== 'EPIPE') throw error
  } finally {
    if (cursor !== undefined) context.tell(`Last cursor: ${cursor}`)
  }
}
