import type { ChangeAttributes, FeedMeta } from '@kith/contract/changes/change-entry'
import { writeQueryString } from '@kith/contract/query-string'
import type { Schema } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import { call } from './call.ts'
import { useSchema } from './schema.ts'

/** One entry of the changes feed, as far as the application shows it. */
type FeedEntry = { id: string; attributes: ChangeAttributes<{ attributes: Readonly<Record<string, unknown>> }> }

/** An entry with its position. */
export type FeedChange = FeedEntry & { cursor: string }

/** The part of the feed that is followed: one resource, with a filter if it has records, or everything. */
type FeedChoice = { resource?: string | undefined; filter?: object | undefined }

export type Feed = {
  state: 'connecting' | 'live' | 'failed'
  /** The latest ones, newest first. */
  entries: readonly FeedChange[]
  /** The position after all that was read. */
  cursor: string | undefined
  error: unknown
}

const KEPT = 200

const UNREAD: Feed = { state: 'connecting', entries: [], cursor: undefined, error: undefined }

/** How far back the feed is followed, in minutes: as far as there are not more changes than these. */
const WINDOWS = [60, 10, 1]

const MOST = 5000

/** Follows the latest changes of a workspace, at most those of the last hour. */
export function useChangesFeed(slug: string, choice: FeedChoice): Feed & { restart(): void } {
  const [feed, setFeed] = useState(UNREAD)
  const [attempt, setAttempt] = useState(0)
  // It is compared by its content.
  const asked = JSON.stringify(feedOf(useSchema(), choice))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt connects again
  useEffect(() => {
    const followed: FollowedFeed = JSON.parse(asked)
    let events: EventSource | undefined
    let isOver = false
    const change = (to: (before: Feed) => Feed) => !isOver && setFeed(to)
    const follow = ({ begin, cursor: now }: FeedStart) => {
      if (isOver) return
      events = new EventSource(`/api/app/w/${slug}${feedPath(followed, begin, '/stream')}`)
      events.onopen = () => change((before) => ({ ...before, state: 'live', cursor: before.cursor ?? now }))
      events.addEventListener('change', ({ data, lastEventId: cursor }) => {
        // Written by the service.
        const entry: FeedEntry = JSON.parse(data)
        change((before) => ({ ...before, cursor, entries: [{ ...entry, cursor }, ...before.entries].slice(0, KEPT) }))
      })
      events.onerror = () => {
        change((before) => ({ ...before, state: 'connecting' }))
        // Otherwise the browser connects again by itself. A refusal has no text here: finding the beginning has one.
        if (events?.readyState === EventSource.CLOSED) setAttempt((before) => before + 1)
      }
    }
    setFeed(UNREAD)
    findBeginning(slug, followed).then(follow, (error) => change((before) => ({ ...before, state: 'failed', error })))
    return () => {
      isOver = true
      events?.close()
    }
  }, [slug, asked, attempt])
  return { ...feed, restart: () => setAttempt(attempt + 1) }
}

/** Where following begins, and the position after the latest change. */
type FeedStart = { begin: Record<string, string>; cursor: string }

/** The first window with few changes; after a large import, only new changes. */
async function findBeginning(slug: string, followed: FollowedFeed): Promise<FeedStart> {
  const read = (begin: Record<string, string>) =>
    call<{ data: FeedEntry[]; meta: FeedMeta }>('GET', `/w/${slug}${feedPath(followed, { ...begin, limit: '1' }, '')}`)
  const now = { cursor: 'now' }
  const { head, next_cursor: cursor } = (await read(now)).meta
  for (const minutes of WINDOWS) {
    const begin = { since: new Date(Date.now() - minutes * 60_000).toISOString() }
    // The feed may not reach back so far.
    const page = await read(begin).catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(error)))
    const first = page?.data[0]?.attributes.sequence ?? (page && head)
    if (typeof first === 'number' && head - first < MOST) return { begin, cursor }
  }
  return { begin: now, cursor }
}

/** What the service is asked for: a path and its parameters. */
type FollowedFeed = { path: string; query: Record<string, unknown> }

/** Of records only the names are asked for. */
function feedOf(schema: Schema, { resource, filter }: FeedChoice): FollowedFeed {
  const followed = resource === undefined ? undefined : schema.get(resource)
  if (followed) return { path: `/v1/${resource}/changes`, query: { fields: followed.label, ...(filter && { filter }) } }
  const fields = Object.fromEntries([...schema.values()].map(({ type, label }) => [type, label]))
  return { path: '/v1/changes', query: { fields, ...(resource !== undefined && { resource }) } }
}

function feedPath({ path, query }: FollowedFeed, begin: Record<string, string>, end: '/stream' | ''): string {
  return `${path}${end}?${writeQueryString({ ...begin, ...query })}`
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 410
}
