import { writeQueryString } from '@kith/contract/query-string'
import type { BuiltInName } from '@kith/contract/resource'
import { documentOf } from './calls.ts'
import {
  type AskedChanges,
  type ChangeEntry,
  type ChangePage,
  type ChangePageQuery,
  changeParameters,
  type FollowQuery,
} from './changes.ts'
import type { FieldTypes } from './custom-values.ts'
import { KithError } from './failures.ts'
import type { Connection } from './transport.ts'

/** The changes of a workspace, in their order. */
export type ChangesClient<F extends FieldTypes> = {
  /** One response of the feed. */
  list<R extends string = BuiltInName>(query: ChangePageQuery<F, R>): Promise<ChangePage<F>>
  /** Every change from a position on. It waits for new ones. */
  follow<R extends string = BuiltInName>(query?: FollowQuery<F, R>): Follower<F>
}

/** Entries one by one, or response by response. Both move the cursor, so use one of them. */
export type Follower<F extends FieldTypes> = AsyncIterable<ChangeEntry<F>> & {
  pages(): AsyncGenerator<ChangePage<F>, void, undefined>
  /** From here nothing is missed. It moves when all entries of a response have been taken. */
  readonly cursor: string
}

/** The cursor is no longer valid: the entries after it were deleted, or the workspace was restored from a backup. */
export class ExpiredError<F extends FieldTypes = FieldTypes> extends KithError {
  readonly #restart: () => Follower<F>

  constructor(cause: KithError, restart: () => Follower<F>) {
    super({ kind: cause.kind, message: cause.message, status: cause.status, request_id: cause.request_id, cause })
    this.name = 'ExpiredError'
    this.#restart = restart
  }

  /** Follows from the start: everything that exists comes first. */
  resync(): Follower<F> {
    return this.#restart()
  }
}

const WAIT_SECONDS = 30
const ENTRIES_PER_RESPONSE = 1000

export function changesClient<F extends FieldTypes>(connection: Connection): ChangesClient<F> {
  const list: ChangesClient<F>['list'] = (query) => readPage(connection, query, positionOf(query))
  return { list, follow: (query = {}) => follow(connection, query) }
}

type Place = { cursor: string } | { since: string | Date }
type Position = { cursor?: string; since?: string; wait?: number | undefined }

function positionOf(query: Place & { wait?: number }): Position {
  const { wait } = query
  if ('cursor' in query) return { cursor: query.cursor, wait }
  return { since: query.since instanceof Date ? query.since.toISOString() : query.since, wait }
}

function readPage<F extends FieldTypes>(
  connection: Connection,
  query: AskedChanges,
  position: Position,
): Promise<ChangePage<F>> {
  const root = query.resource === undefined ? '/changes' : `/${query.resource}/changes`
  const path = `${root}?${writeQueryString({ ...changeParameters(query), ...position })}`
  return documentOf(connection, { method: 'GET', path, repeatable: true, signal: query.signal })
}

function follow<F extends FieldTypes>(
  connection: Connection,
  query: AskedChanges & Pick<FollowQuery<F, BuiltInName>, 'from' | 'wait' | 'once'>,
): Follower<F> {
  const { from = 'start', wait = WAIT_SECONDS, once = false, limit = ENTRIES_PER_RESPONSE } = query
  let cursor = from

  async function* pages(): AsyncGenerator<ChangePage<F>, void, undefined> {
    for (;;) {
      const page = await next()
      yield page
      cursor = page.meta.next_cursor
      if (once && !page.meta.has_more) return
    }
  }

  async function next(): Promise<ChangePage<F>> {
    try {
      return await readPage<F>(connection, { ...query, limit }, { cursor, wait: once ? 0 : wait })
    } catch (error) {
      if (!(error instanceof KithError) || error.kind !== 'gone') throw error
      throw new ExpiredError<F>(error, () => follow(connection, { ...query, from: 'start' }))
    }
  }

  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
    get cursor() {
      return cursor
    },
  }
}
