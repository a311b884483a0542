import type { Writable } from 'node:stream'
import type pg from 'pg'
import { UnknownOutcome } from '../unknown-outcome.ts'
import type { Db } from './engine.ts'
import { handleOver } from './handle.ts'
import { handleOn, queryOf } from './postgres-session.ts'

/** Runs the work in a transaction on a connection, which is given back afterwards. */
export async function postgresTransaction<T>(client: pg.PoolClient, work: (inside: Db) => Promise<T>): Promise<T> {
  const posts = postsOn(client)
  let broken = false
  try {
    posts.post('begin')
    const inside = handleOn(client, () => holdBack(client))
    inside.posting = posts.handle
    const value = await work(inside)
    await commit(client)
    await posts.all()
    return value
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true
    })
    // Whatever was asked after a statement that failed was only told that the transaction had failed.
    throw error instanceof UnknownOutcome ? error : ((await posts.failure()) ?? error)
  } finally {
    client.release(broken)
  }
}

/** A connection that is lost now leaves open whether the write took place. */
async function commit(client: pg.PoolClient): Promise<void> {
  let ended: pg.QueryResult
  try {
    ended = await client.query('commit')
  } catch (error) {
    throw new UnknownOutcome(error)
  }
  // That is how the server ends a transaction in which something failed, whoever was told of it.
  if (ended.command === 'ROLLBACK') throw new Error('The transaction was rolled back, for something in it had failed.')
}

/** Statements that were sent, and for whose end nobody has waited yet. */
function postsOn(client: pg.PoolClient) {
  const posted: Promise<unknown>[] = []
  const post = (query: string | pg.QueryConfig) => {
    holdBack(client)
    const answered = client.query(query)
    // It is told at the end of the transaction; until then it is no rejection that nobody handles.
    answered.catch(() => {})
    posted.push(answered)
  }
  return {
    post,
    handle: handleOver({
      dialect: 'postgres',
      async run(sql, parameters) {
        post(queryOf(sql, parameters))
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

const held = new WeakSet<Writable>()

/** What is asked for before the process turns to something else goes out with it: every write to a socket costs as much as a short statement. */
export function holdBack(client: pg.PoolClient): void {
  // The driver has it, though its types do not tell.
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (held.has(stream)) return
  held.add(stream)
  stream.cork()
  process.nextTick(() => {
    held.delete(stream)
    stream.uncork()
  })
}
