import type { ChangeAttributes, FeedMeta } from '@kith/contract/changes/change-entry'
import { writeQueryString } from '@kith/contract/query-string'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { useEffect, useState } from 'react'
import { isResourceName } from '../resources.ts'
import { call } from './call.ts'

/** One entry of the changes feed, as far as the application shows it. */
type FeedEntry = { id: string; attributes: ChangeAttributes<{ attributes: Readonly<Record<string, unknown>> }> }

/** An entry with its position. */
export type Followed = FeedEntry & { cursor: string }

/** What is followed: one resource, with a filter if it has records, or everything. */
type FeedChoice = { resource?: string | undefined; filter?: object | undefined }

export type Feed = {
  state: 'connecting' | 'live' | 'failed'
  /** The latest ones, newest first. */
  entries: readonly Followed[]
  /** The position after all that was read. */
  cursor: string | undefined
  error: unknown
}

const KEPT = 200
const RECENT_MS = 3_600_000
const UNREAD: Feed = { state: 'connecting', entries: [], cursor: undefined, error: undefined }

/** Follows the changes of a workspace from an hour ago, or from now where the feed does not reach back so far. */
export function useChangesFeed(slug: string, { resource, filter }: FeedChoice): Feed & { restart(): void } {
  const [feed, setFeed] = useState(UNREAD)
  const [start, setStart] = useState<{ from: 'recent' | 'now'; attempt: number }>({ from: 'recent', attempt: 0 })
  // The filter is compared by what it says.
  const asked = JSON.stringify({ resource, filter })
  useEffect(() => {
    const choice: FeedChoice = JSON.parse(asked)
    const begin: Record<string, string> =
      start.from === 'now' ? { cursor: 'now' } : { since: new Date(Date.now() - RECENT_MS).toISOString() }
    const events = new EventSource(`/api/app/w/${slug}${feedPath(choice, begin, '/stream')}`)
    setFeed(UNREAD)
    events.onopen = async () => {
      setFeed((before) => ({ ...before, state: 'live' }))
      const { meta } = await call<{ meta: FeedMeta }>('GET', `/w/${slug}${feedPath(choice, { cursor: 'now' }, '')}`)
      setFeed((before) => ({ ...before, cursor: before.cursor ?? meta.next_cursor }))
    }
    events.addEventListener('change', ({ data, lastEventId: cursor }) => {
      // Written by the service.
      const entry: FeedEntry = JSON.parse(data)
      setFeed((before) => ({ ...before, cursor, entries: [{ ...entry, cursor }, ...before.entries].slice(0, KEPT) }))
    })
    events.onerror = async () => {
      setFeed((before) => ({ ...before, state: 'connecting' }))
      // Otherwise the browser connects again by itself. A refusal has no text here: the same is asked without a stream.
      if (events.readyState !== EventSource.CLOSED) return
      const error = await call('GET', `/w/${slug}${feedPath(choice, begin, '')}`).then(() => undefined, asError)
      if (isGone(error) && start.from === 'recent') setStart({ from: 'now', attempt: 0 })
      else if (error) setFeed((before) => ({ ...before, state: 'failed', error }))
      else setStart((before) => ({ ...before, attempt: before.attempt + 1 }))
    }
    return () => events.close()
  }, [slug, asked, start])
  return { ...feed, restart: () => setStart({ from: 'recent', attempt: start.attempt + 1 }) }
}

/** Only the names of records are shown. */
function feedPath({ resource, filter }: FeedChoice, begin: Record<string, string>, end: '/stream' | ''): string {
  if (resource !== undefined && isResourceName(resource)) {
    const query = { ...begin, fields: registry[resource].label, ...(filter && { filter }) }
    return `/v1/${resource}/changes${end}?${writeQueryString(query)}`
  }
  const query = { ...begin, fields: labelsByType(), ...(resource !== undefined && { resource }) }
  return `/v1/changes${end}?${writeQueryString(query)}`
}

function labelsByType(): Record<string, string> {
  return Object.fromEntries(resourceNames.map((name: ResourceName) => [name, registry[name].label]))
}

function asError(error: unknown): unknown {
  return error ?? new Error('The feed could not be read.')
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 410
}
