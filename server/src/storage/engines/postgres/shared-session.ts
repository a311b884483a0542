import type pg from 'pg'
import { retrying } from '../retrying.ts'
import type { Session } from '../session.ts'
import { isPassing } from './errors.ts'
import { send } from './session.ts'

/**
 * Statements of all requests over one connection, which sends those that come together with one system call. With a
 * connection for each, the database switches between as many processes for a few microseconds of work.
 */
export function sharedSession(connect: () => Promise<pg.PoolClient>): { session: Session; close(): Promise<void> } {
  let shared: Promise<pg.PoolClient> | undefined

  function connected(): Promise<pg.PoolClient> {
    if (shared) return shared
    const opening = connect()
    const forget = () => {
      if (shared === opening) shared = undefined
    }
    opening.then((client) => {
      client.once('end', () => {
        forget()
        client.release(true)
      })
    }, forget)
    shared = opening
    return opening
  }

  return {
    session: {
      dialect: 'postgres',
      run: (sql, parameters) => retrying(isPassing, async () => send(await connected(), sql, parameters)),
    },
    async close() {
      const client = await shared?.catch(() => undefined)
      await client?.end()
    },
  }
}
