import type pg from 'pg'
import type { CountMove, Db } from '../engine.ts'
import type { Session } from '../sql.ts'
import { codeOf, UnknownOutcome } from '../storage-trouble.ts'
import { timeLimit } from '../time-limit.ts'
import { lateRows, untilEnded } from '../transactions.ts'
import { isPassing, isReadOnly } from './errors.ts'
import { insertRows, type RowTexts, rowsStatement, type Statement } from './rows.ts'
import { asOutOfTime, rollback, send, sessionOn, untimed } from './session.ts'

type Work<T> = (inside: Db) => Promise<T>

/**
 * Runs the work in a transaction on a connection, and releases the connection. `settings` and the statements of `check`
 * are sent after the begin. The transaction fails if the check does.
 */
export async function postgresTransaction<T>(
  client: pg.PoolClient,
  work: Work<T>,
  { settings, check }: { settings?: string; check: Work<void> },
): Promise<T> {
  const posts = postsOn(client)
  const counts = newCounts()
  const late = lateRows()
  const awaited = awaitedOn(client)
  let broken = false
  let checked: Promise<void> | undefined
  try {
    untimed(client)
    posts.post('begin', [])
    if (settings !== undefined) posts.post(settings, [])
    checked = check({ session: sessionOn(client) })
    // Awaited below, after the statements behind it.
    checked.catch(() => {})
    const besides = { count: counts.add, append: late.append }
    const posting = { session: posts.session, ...besides }
    const value = await work({ session: awaited.session, posting, ...besides })
    await late.insertAll((into, rows) => insertRows(posting, into, rows))
    const counted = counts.statement()
    if (counted) posts.post(counted.text, counted.parameters)
    await checked
    await commit(client)
    await posts.all()
    return value
  } catch (error) {
    broken = !(await rollback(client))
    const failures = [...(await failuresOf([checked])), ...(await posts.failures()), error, ...awaited.failures]
    const failure = error instanceof UnknownOutcome ? error : firstCause(failures)
    // A new connection may reach the server that is the primary now.
    broken ||= isReadOnly(failure)
    throw failure
  } finally {
    client.release(broken)
  }
}

const BEGIN_READING = 'begin isolation level repeatable read read only'

/**
 * Runs work that only reads, in one snapshot, and releases the connection. The begin is sent with the first statement,
 * and nothing waits for the commit: the connection sends what comes next after it.
 */
export async function postgresReadTransaction<T>(client: pg.PoolClient, work: Work<T>): Promise<T> {
  const { session, end } = untilEnded(sessionOn(client))
  if (!timeLimit()) untimed(client)
  const began = send(client, BEGIN_READING, [])
  // Awaited below, after the statements behind it.
  began.catch(() => {})
  let value: T
  try {
    value = await work({ session })
    // Without a transaction the statements did not share a snapshot.
    await began
    end()
  } catch (error) {
    end()
    client.release(!(await rollback(client)))
    throw asOutOfTime(error)
  }
  send(client, 'commit', []).catch(() => {})
  client.release()
  return value
}

/** If the connection is lost now, the write may have been committed. A deadlock is certain: the server rolled back. */
async function commit(client: pg.PoolClient): Promise<void> {
  let ended: pg.QueryResult
  try {
    ended = await client.query('commit')
  } catch (error) {
    throw isPassing(error) ? error : new UnknownOutcome(error)
  }
  // The server ends a transaction like this if one of its statements failed.
  if (ended.command === 'ROLLBACK') throw new Error('The transaction was rolled back because a statement failed.')
}

/** Statements that were sent without waiting for their results. */
function postsOn(client: pg.PoolClient) {
  const posted: Promise<unknown>[] = []
  const post = (sql: string, parameters: readonly unknown[]) => {
    const result = send(client, sql, parameters)
    // The end of the transaction reports it.
    result.catch(() => {})
    posted.push(result)
  }
  return {
    post,
    session: {
      dialect: 'postgres' as const,
      run(sql: string, parameters: readonly unknown[]) {
        post(sql, parameters)
        return { rows: [], affected: 0 }
      },
    },
    all: () => Promise.all(posted),
    failures: () => failuresOf(posted),
  }
}

async function failuresOf(sent: readonly (Promise<unknown> | undefined)[]): Promise<unknown[]> {
  const results = await Promise.allSettled(sent)
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
}

/**
 * Statements whose results are waited for, and the errors of those that failed. Of several that run together, the one
 * that failed may not be the first whose error reaches the caller.
 */
function awaitedOn(client: pg.PoolClient): { session: Session; failures: readonly unknown[] } {
  const { dialect, run } = sessionOn(client)
  const failures: unknown[] = []
  const session: Session = {
    dialect,
    async run(sql, parameters) {
      try {
        return await run(sql, parameters)
      } catch (error) {
        failures.push(error)
        throw error
      }
    },
  }
  return { session, failures }
}

const FAILED_BEFORE = '25P02'

/** Statements after a failed one only report that the transaction has failed. */
function firstCause(failures: readonly unknown[]): unknown {
  return failures.find((failure) => codeOf(failure) !== FAILED_BEFORE) ?? failures.at(-1)
}

const texts: RowTexts = {
  one: counted('values ($1, $2, $3, $4, 1)'),
  many: counted('select *, 1 from unnest($1::text[], $2::text[], $3::integer[], $4::integer[])'),
}

function counted(rows: string): string {
  return `insert into record_counts (workspace_id, resource, slot, live, version) ${rows}
   on conflict (workspace_id, resource, slot)
   do update set live = record_counts.live + excluded.live, version = record_counts.version + 1`
}

/**
 * What a transaction adds to the counts, written by one statement at its end. Other writers wait for these rows until
 * the transaction ends, so no statement that may wait comes after it, and all transactions lock them in the same order.
 */
function newCounts(): { add(move: CountMove): void; statement(): Statement | undefined } {
  const moves = new Map<string, CountMove>()
  return {
    add(move) {
      const name = `${move.workspaceId} ${move.resource}`
      const before = moves.get(name)
      moves.set(name, before ? { ...before, live: before.live + move.live } : move)
    },
    statement() {
      if (moves.size === 0) return undefined
      const ordered = [...moves].sort(([one], [other]) => (one < other ? -1 : 1))
      const rows = ordered.map(([, { workspaceId, resource, slot, live }]) => [workspaceId, resource, slot, live])
      return rowsStatement(texts, rows)
    },
  }
}
