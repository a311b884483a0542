import type pg from 'pg'
import { UnknownOutcome } from '../../../scope/unknown-outcome.ts'
import type { Db } from '../engine.ts'
import { handleOver } from '../handle.ts'
import { untilEnded } from '../until-ended.ts'
import { ask, sendAsked } from './asking.ts'
import { newCounts } from './counts.ts'
import { isPassing } from './errors.ts'
import { sessionOn } from './session.ts'

/** Runs the work in a transaction on a connection, which is given back afterwards. */
export async function postgresTransaction<T>(client: pg.PoolClient, work: (inside: Db) => Promise<T>): Promise<T> {
  const posts = postsOn(client)
  const counts = newCounts()
  let broken = false
  try {
    posts.post('begin', [])
    const value = await work(handleOver(sessionOn(client), { posting: posts.handle, count: counts.add }))
    const counted = counts.statement()
    if (counted) posts.post(counted.text, counted.parameters)
    sendAsked(client)
    await commit(client)
    await posts.all()
    return value
  } catch (error) {
    sendAsked(client)
    await client.query('rollback').catch(() => {
      broken = true
    })
    // Whatever was asked after a statement that failed was only told that the transaction had failed.
    throw error instanceof UnknownOutcome ? error : ((await posts.failure()) ?? error)
  } finally {
    client.release(broken)
  }
}

const BEGIN_READING = 'begin isolation level repeatable read read only'

/**
 * Runs work that only reads, as of one moment, on a connection that is given back afterwards. The begin is sent together with the first statement, and nothing waits for the
 * commit: whatever uses the connection next is sent after it.
 */
export async function postgresReadTransaction<T>(client: pg.PoolClient, work: (inside: Db) => Promise<T>): Promise<T> {
  const { session, end } = untilEnded(sessionOn(client))
  // If the connection is lost, the first statement fails as well.
  ask(client, BEGIN_READING, []).catch(() => {})
  let value: T
  try {
    value = await work(handleOver(session))
    end()
  } catch (error) {
    end()
    sendAsked(client)
    const ended = await client.query('rollback').then(
      () => true,
      () => false,
    )
    client.release(!ended)
    throw error
  }
  // It goes out before anything that the next user of the connection asks, and in one write with it if there is one already.
  ask(client, 'commit', []).catch(() => {})
  client.release()
  return value
}

/** A connection that is lost now leaves open whether the write took place. A deadlock does not: the server has rolled back. */
async function commit(client: pg.PoolClient): Promise<void> {
  let ended: pg.QueryResult
  try {
    ended = await client.query('commit')
  } catch (error) {
    throw isPassing(error) ? error : new UnknownOutcome(error)
  }
  // That is how the server ends a transaction in which something failed, whoever was told of it.
  if (ended.command === 'ROLLBACK') throw new Error('The transaction was rolled back, for something in it had failed.')
}

/** Statements that were sent, and for whose end nobody has waited yet. */
function postsOn(client: pg.PoolClient) {
  const posted: Promise<unknown>[] = []
  const post = (sql: string, parameters: readonly unknown[]) => {
    const answered = ask(client, sql, parameters)
    // It is told at the end of the transaction; until then it is no rejection that nobody handles.
    answered.catch(() => {})
    posted.push(answered)
  }
  return {
    post,
    handle: handleOver({
      dialect: 'postgres',
      async run(sql, parameters) {
        post(sql, parameters)
        return { rows: [], affected: 0 }
      },
    }),
    all: () => Promise.all(posted),
    async failure(): Promise<unknown> {
      const failed = (await Promise.allSettled(posted)).find((one) => one.status === 'rejected')
      return failed?.reason
    },
  }
}
