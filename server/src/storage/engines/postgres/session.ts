import { Socket } from 'node:net'
import type pg from 'pg'
import type { Outcome, Session } from '../sql.ts'
import { codeOf } from '../storage-trouble.ts'
import { OutOfTime, timeLeft, timeLimit } from '../time-limit.ts'
import { retrying } from '../transactions.ts'
import { isPassing } from './errors.ts'

/** Each statement over any free connection. */
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
    outcome = await runInTime(client, sql, parameters)
  } catch (error) {
    // The connection may be broken; the pool makes another one.
    client.release(true)
    // The time limit of an earlier read was still set. It stops so few statements that it is not removed for each.
    if (isStopped(error) && !timeLimit() && timeouts.has(client)) return runOnce(pool, sql, parameters)
    throw error
  }
  client.release()
  return outcome
}

/** All statements over one connection. */
export function sessionOn(client: pg.PoolClient): Session {
  return { dialect: 'postgres', run: (sql, parameters) => runInTime(client, sql, parameters) }
}

/** Removes the time limit that earlier reads have left on a connection. */
export function untimed(client: pg.PoolClient): void {
  setStatementTimeout(client, undefined)
}

/** Sends a statement at once, without waiting for the ones before it: the connection is in pipeline mode. */
export async function send(client: pg.PoolClient, text: string, parameters: readonly unknown[]): Promise<Outcome> {
  const { rows, rowCount } = await client.query({ name: nameOf(text), text, values: [...parameters] })
  return { rows, affected: rowCount ?? 0 }
}

const STATEMENTS_NAMED = 1000
const names = new Map<string, string>()

/** A statement keeps its name for the life of the process, so that the server plans it once per connection. */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= STATEMENTS_NAMED) return known
  const name = `kith_${names.size}`
  names.set(sql, name)
  return name
}

/** Stopped by `statement_timeout`; and the statements after it in the same transaction. */
const STOPPED = new Set(['57014', '25P02'])

function isStopped(error: unknown): boolean {
  return STOPPED.has(codeOf(error))
}

/** Each statement gets the time that its request has left. The server stops it after that. */
async function runInTime(client: pg.PoolClient, sql: string, parameters: readonly unknown[]): Promise<Outcome> {
  const limit = timeLimit()
  if (!limit || limit.seconds === 0) return send(client, sql, parameters)
  // In few steps, so that most statements find the right value set already.
  const step = Math.max(limit.seconds * STEP_MS, STEP_MIN_MS)
  setStatementTimeout(client, Math.ceil(timeLeft(limit) / step) * step)
  try {
    return await send(client, sql, parameters)
  } catch (error) {
    throw asOutOfTime(error)
  }
}

/** The error of a failed read of a request with a time limit. */
export function asOutOfTime(error: unknown): unknown {
  const limit = timeLimit()
  return limit && isStopped(error) ? new OutOfTime(limit.seconds, error) : error
}

/** A twentieth of each second of the limit. */
const STEP_MS = 50

/** A timeout stays on the connection, and the next request must be able to change it on a busy machine. */
const STEP_MIN_MS = 100

/** The `statement_timeout` of a connection, where it is not the server's own. `unknown` after a rollback. */
const timeouts = new WeakMap<pg.PoolClient, number | 'unknown'>()

function setStatementTimeout(client: pg.PoolClient, ms: number | undefined): void {
  if (timeouts.get(client) === ms) return
  if (ms === undefined) timeouts.delete(client)
  else timeouts.set(client, ms)
  const sent =
    ms === undefined ? send(client, 'reset statement_timeout', []) : send(client, SET, [String(Math.ceil(ms))])
  // If it fails, the statement behind it fails, too.
  sent.catch(() => timeouts.set(client, 'unknown'))
}

const SET = "select set_config('statement_timeout', $1, false)"

/** Rolls back, which also takes back a timeout that was set in the transaction. False if the connection is broken. */
export async function rollback(client: pg.PoolClient): Promise<boolean> {
  timeouts.set(client, 'unknown')
  try {
    await client.query('rollback')
    return true
  } catch {
    return false
  }
}

/**
 * Statements of all requests over one connection, which sends those that come together with one system call. With a
 * connection for each, the database switches between as many processes for a few microseconds of work.
 */
export function sharedSession(connect: () => Promise<pg.PoolClient>): {
  session: Session
  /** Ends the connection after the statements that were sent. Later ones get a new one. */
  end(): Promise<void>
} {
  let shared: Promise<pg.PoolClient> | undefined

  function connected(): Promise<pg.PoolClient> {
    if (shared) return shared
    const opening = connect()
    const forget = () => {
      if (shared !== opening) return false
      shared = undefined
      return true
    }
    opening.then((client) => client.once('end', () => forget() && client.release(true)), forget)
    shared = opening
    return opening
  }

  return {
    session: {
      dialect: 'postgres',
      run: (sql, parameters) =>
        retrying(isPassing, async () => {
          const client = await connected()
          return send(client, sql, parameters)
        }),
    },
    async end() {
      const ending = shared
      shared = undefined
      const client = await ending?.catch(() => undefined)
      if (!client) return
      const ended = new Promise((resolve) => client.once('end', resolve))
      // The next connection does not wait for a server that hangs.
      client.release(true)
      await ended
    },
  }
}

/**
 * Sends everything that is written in one turn of the event loop with one system call. The driver corks its stream for
 * each statement, and a system call costs more than all the rest of sending it.
 */
export class BatchingSocket extends Socket {
  #waits = false

  override cork(): void {
    super.cork()
    if (this.#waits) return
    this.#waits = true
    super.cork()
    process.nextTick(() => {
      this.#waits = false
      this.uncork()
    })
  }
}
