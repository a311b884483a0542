import { expect } from 'vitest'
import type { Api } from './api.ts'

export type Entry = { id: string; attributes: Record<string, unknown> & { record: { attributes: object } | null } }

/** A page of the feed. */
export async function readFeed(api: Api, query: string): Promise<{ data: Entry[]; meta: Record<string, unknown> }> {
  const answer = await api.get(`/changes?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

export async function latestCursor(api: Api): Promise<unknown> {
  return (await readFeed(api, 'cursor=now')).meta.next_cursor
}

/** A copy of a resource that follows the feed and nothing else. */
export async function mirrorOf(api: Api, resource: string): Promise<Map<string, object>> {
  const copy = new Map<string, object>()
  for (let cursor: unknown = 'start', more: unknown = true; more; ) {
    const { data, meta } = await readFeed(api, `cursor=${cursor}&resource=${resource}&limit=7`)
    for (const { attributes } of data) {
      if (attributes.record) copy.set(String(attributes.record_id), attributes.record)
      else copy.delete(String(attributes.record_id))
    }
    cursor = meta.next_cursor
    more = meta.has_more
  }
  return copy
}
