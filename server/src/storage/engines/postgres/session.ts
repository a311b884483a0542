import type pg from 'pg'
import { OutOfTime, timeLeft, timeLimit } from '../../../scope/time-limit.ts'
import { retrying } from '../retrying.ts'
import type { Outcome, Session } from '../session.ts'
import { ask } from './asking.ts'
import { isPassing } from './errors.ts'

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
    outcome = await askInTime(client, sql, parameters)
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
  return { dialect: 'postgres', run: (sql, parameters) => askInTime(client, sql, parameters) }
}

const CANCELLED = '57014'

/** Each statement gets the time that is left to its request. The server stops the one that needs longer. */
async function askInTime(client: pg.PoolClient, sql: string, parameters: readonly unknown[]): Promise<Outcome> {
  const limit = timeLimit()
  if (!limit || limit.seconds === 0) return ask(client, sql, parameters)
  try {
    return await ask(client, sql, parameters, timeLeft(limit))
  } catch (error) {
    const isCancelled = error instanceof Error && 'code' in error && error.code === CANCELLED
    throw isCancelled ? new OutOfTime(limit.seconds, error) : error
  }
}
