import { createRequire } from 'node:module'
import type { Db } from './engine.ts'
import type { Session } from './session.ts'

type Besides = Omit<Db, 'query' | 'session'>

const require = createRequire(import.meta.url)

/**
 * The builder is loaded and made when it is first asked for: a start does without it, and so does most of what runs in a transaction. It
 * has so many modules that loading them is a tenth of a start.
 */
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
