import type pg from 'pg'
import { ask } from './postgres-asking.ts'
import { isPassing } from './postgres-errors.ts'
import { retrying } from './retrying.ts'
import type { Outcome, Session } from './session.ts'

/** Each statement over whichever connection is free. */
export function sessionOnPool(pool: pg.Pool): Session {
  return {
    dialect: 'postgres',
    run: (sql, parameters) => retrying(isPassing, () => runOnce(pool, sql, parameters)),
  }
}

async function runOnce(pool: pg.Pool, sql: string, parameters: readonly unknown[]): Promise<Outcome> {
  const client = await pool.connect()
  let outcome: Outcome
  try {
    outcome = await ask(client, sql, parameters)
  } catch (error) {
    // The connection may be broken; the pool makes another one.
    client.release(true)
    throw error
  }
  client.release()
  return outcome
}

/** All statements over one connection. */
export function sessionOn(client: pg.PoolClient): Session {
  return { dialect: 'postgres', run: (sql, parameters) => ask(client, sql, parameters) }
}
