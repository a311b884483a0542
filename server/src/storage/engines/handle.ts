import { createRequire } from 'node:module'
import type { Db } from './engine.ts'
import type { Session } from './session.ts'

type Besides = Omit<Db, 'query' | 'session'>

const require = createRequire(import.meta.url)

/** Loads the query builder when it is first used: its many modules take a tenth of the time of a start. */
export function handleOver(session: Session, besides: Besides = {}): Db {
  let query: Db['query'] | undefined
  return {
    ...besides,
    session,
    get query() {
      query ??= builder().kyselyOver(session)
      return query
    },
  }
}

function builder(): typeof import('./builder.ts') {
  return require('./builder.ts')
}
