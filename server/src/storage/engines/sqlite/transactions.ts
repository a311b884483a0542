import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../engine.ts'
import { GroupCommit, type Work } from '../group-commit.ts'
import type { KnownMigration } from '../known-migration.ts'
import { type Session, sql } from '../sql.ts'
import { DatabaseBusy } from '../storage-trouble.ts'
import { type TimeLimit, timeLeft, timeLimit } from '../time-limit.ts'
import { lateRows, untilEnded } from '../transactions.ts'
import { asTrouble, errcodeOf, type OpenFile } from './file.ts'
import { insertRows } from './rows.ts'

const JOBS_MAX = 128

const IDLE_MS = 200

/** Texts are indexed for search when so many are new, and the rest when nothing was written for a moment. */
const FRESH_MAX = 512

/** The transactions of the one connection that writes. Those that wait at the same time share one flush to the disk. */
export function writeTransactions(
  connection: DatabaseSync,
  inside: Db,
  { file, migration }: { file: OpenFile; migration: KnownMigration },
) {
  const changes = connection.prepare('select total_changes()')
  changes.setReturnArrays(true)
  const version = connection.prepare('pragma data_version')
  version.setReturnArrays(true)
  /** When the migration was checked last. */
  let versionChecked: number | undefined
  const group = new GroupCommit({ transaction, jobsMax: JOBS_MAX, concurrency: 1 })
  let idle: NodeJS.Timeout | undefined
  /** What the last transaction ended with. */
  let changesBefore = 0
  /** A new file has no tables yet. */
  let hasSearch = false

  /** Grows with everything that is written over this connection. */
  function countChanges(): number {
    // The statement returns one row of one number.
    const [count] = changes.get() as unknown as [number]
    return count
  }

  /** The version changes when another connection has written. Reading the table each time costs a tenth of a write. */
  async function checkMigration(): Promise<void> {
    if (!migration.isSet()) return
    const [now] = version.get() as unknown as [number]
    if (now === versionChecked) return
    await migration.check(inside)
    versionChecked = now
  }

  async function transaction(work: Work<void>): Promise<void> {
    let hasWritten = false
    try {
      file.check()
      await beginImmediate(connection)
      await checkMigration()
      const late = lateRows()
      await work({ ...inside, append: late.append })
      await late.insertAll((into, rows) => insertRows(inside, into, rows))
      const changed = countChanges()
      hasWritten = changed !== changesBefore
      changesBefore = changed
      if (hasWritten) await indexFresh(FRESH_MAX)
      connection.exec('commit')
      // If the file is gone by now, the writes are lost, and no job may succeed.
      if (hasWritten) file.checkCommit()
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback')
      throw asTrouble(error)
    }
    if (hasWritten) indexWhenIdle()
  }

  function indexWhenIdle(): void {
    clearTimeout(idle)
    idle = setTimeout(() => void indexRest(), IDLE_MS).unref()
  }

  async function indexRest(): Promise<void> {
    clearTimeout(idle)
    idle = undefined
    try {
      await group.run(() => indexFresh(1))
    } catch {
      // The disk is full, or another process writes. It is tried again after the next write.
    }
  }

  /**
   * Adds all fresh texts to the search index, if there are at least this many. `search_fresh` lists the texts that were
   * added, changed or removed since the search index was last updated. FTS5 writes a segment of its index in every
   * transaction that touches it, and merges the segments later: for a few texts at a time that took a third of the
   * writer's time. So the index is updated with many at a time, and searches scan the few fresh ones.
   */
  async function indexFresh(atLeast: number): Promise<void> {
    hasSearch ||= await sql`select 1 from sqlite_schema where name = 'search_fresh'`.exists(inside)
    // Selects no row number, which may be too large for JavaScript.
    if (!hasSearch || !(await sql`select 1 from search_fresh limit 1 offset ${atLeast - 1}`.exists(inside))) return
    await sql`delete from search where rowid in (
      select n.seq from search_fresh n where not exists (select 1 from search_texts t where t.seq = n.seq))`.run(inside)
    await sql`insert or replace into search (rowid, text)
      select t.seq, t.text from search_fresh n cross join search_texts t on t.seq = n.seq order by t.seq`.run(inside)
    await sql`delete from search_fresh`.run(inside)
  }

  return {
    run: <T>(work: Work<T>): Promise<T> => group.run(work),
    async close(): Promise<void> {
      await group.untilIdle()
      if (idle) await indexRest()
      await group.untilIdle()
      clearTimeout(idle)
    },
  }
}

const WAIT_MS = 15_000

/** Short, because a process that writes without a break leaves the lock free for less than a millisecond at a time. */
const PAUSE_MS = 5

const LOCKED = 5

/** Waits while another process writes, without blocking the event loop. */
export async function beginImmediate(connection: DatabaseSync): Promise<void> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    try {
      connection.exec('begin immediate')
      return
    } catch (error) {
      if ((errcodeOf(error) & 0xff) !== LOCKED) throw error
      if (performance.now() > until) throw new DatabaseBusy(error)
    }
    await pause(Math.random() * PAUSE_MS)
  }
}

type Reader = { connection: DatabaseSync; session: Session; begin: StatementSync; commit: StatementSync }

/** More connections are open only while that many calls read at the same time. */
const READERS_KEPT = 2

/**
 * Read transactions of the write-ahead log, each on its own connection: the calls of a thread interleave at every
 * await, and on a shared connection one of them would end the transaction of another.
 */
export function readTransactions(open: () => DatabaseSync, sessionOn: (connection: DatabaseSync) => Session) {
  const free: Reader[] = []

  function newReader(): Reader {
    const connection = open()
    const [begin, commit] = [connection.prepare('begin'), connection.prepare('commit')]
    return { connection, session: sessionOn(connection), begin, commit }
  }

  function release(reader: Reader): void {
    // Some errors have ended it already.
    if (reader.connection.isTransaction) reader.commit.run()
    if (free.length < READERS_KEPT) free.push(reader)
    else reader.connection.close()
  }

  return {
    async run<T>(work: (inside: Db) => Promise<T>): Promise<T> {
      const reader = free.pop() ?? newReader()
      const { session, end } = untilEnded(reader.session)
      try {
        reader.begin.run()
        return await work({ session })
      } finally {
        end()
        release(reader)
      }
    },
    close(): void {
      for (const { connection } of free.splice(0)) connection.close()
    },
  }
}

/** The SQL function that long statements call every few rows. See `inTime` in tests.ts. */
export const IN_TIME = 'in_time'

/**
 * Stops statements on a connection when their request has no time left. Node's driver can neither interrupt a
 * statement nor offers SQLite's progress handler, and a thread cannot be ended while native code runs. So the statement
 * calls a function that throws.
 */
export function timedOn(connection: DatabaseSync): <T>(run: () => T) => T {
  let running: TimeLimit | undefined
  connection.function(IN_TIME, () => {
    if (running) timeLeft(running)
    return 1
  })
  return (run) => {
    const limit = timeLimit()
    if (!limit) return run()
    // A statement that begins late is not run at all.
    timeLeft(limit)
    running = limit
    try {
      return run()
    } finally {
      running = undefined
    }
  }
}
