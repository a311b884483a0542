import { PER_PAGE_MAX } from '@kith/contract/limits'
import type { ListRequest } from './list-query.ts'

export type Page<T = unknown> = { data: T[]; meta: { next_cursor?: string | null; last_page?: number } }

/** Pages through a list by cursor: records that exist throughout are returned exactly once. */
export async function* scanByCursor<P extends Page>(
  asked: ListRequest,
  ask: (asked: ListRequest) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let cursor: string | null = asked.cursor || 'true'
  while (cursor !== null) {
    const page: P = await ask({ per_page: PER_PAGE_MAX, ...asked, cursor })
    yield page
    cursor = page.meta.next_cursor ?? null
  }
}

/** Pages through a list by number, where cursors do not work. Concurrent writes can move records between pages. */
export async function* scanByNumber<P extends Page>(
  asked: ListRequest,
  ask: (asked: ListRequest) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let last = 1
  for (let page = 1; page <= last; page++) {
    const answer = await ask({ per_page: PER_PAGE_MAX, ...asked, page })
    yield answer
    last = answer.meta.last_page ?? 1
  }
}

/** The records of all pages, one by one. */
export async function* recordsOf<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void, undefined> {
  for await (const { data } of pages) yield* data
}
