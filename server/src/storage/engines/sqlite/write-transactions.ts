import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseBusy } from '../../../scope/database-busy.ts'
import type { Db } from '../engine.ts'
import { GroupCommit, type Work } from '../group-commit.ts'
import { lateRows } from '../late-rows.ts'
import type { OpenFile } from './file.ts'
import { indexFresh } from './fresh-texts.ts'
import { insertRows } from './rows.ts'
import { asTrouble, errcodeOf } from './trouble.ts'

const JOBS_MAX = 128
const IDLE_MS = 200

/** Texts are indexed for search when so many are new, and the rest when nothing was written for a moment. */
const FRESH_MAX = 512

/** The transactions of the one connection that writes. Those that wait at the same time share one flush to the disk. */
export function writeTransactions(connection: DatabaseSync, inside: Db, file: OpenFile) {
  const changes = connection.prepare('select total_changes()')
  changes.setReturnArrays(true)
  const group = new GroupCommit({ transaction, jobsMax: JOBS_MAX, concurrency: 1 })
  let idle: NodeJS.Timeout | undefined

  /** Grows with everything that is written over this connection. */
  function countChanges(): number {
    // The statement returns one row of one number.
    const [count] = changes.get() as unknown as [number]
    return count
  }

  async function transaction(work: Work<void>): Promise<void> {
    const before = countChanges()
    try {
      file.check()
      await beginImmediate(connection)
      const late = lateRows()
      await work({ ...inside, append: late.append })
      await late.insertAll((into, rows) => insertRows(inside, into, rows))
      const hasWritten = countChanges() !== before
      if (hasWritten) await indexFresh(inside, FRESH_MAX)
      connection.exec('commit')
      // If the file is gone by now, the writes are lost, and no job may succeed.
      if (hasWritten) file.checkCommit()
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback')
      throw asTrouble(error)
    }
    if (countChanges() !== before) indexWhenIdle()
  }

  function indexWhenIdle(): void {
    clearTimeout(idle)
    idle = setTimeout(() => void indexRest(), IDLE_MS).unref()
  }

  async function indexRest(): Promise<void> {
    clearTimeout(idle)
    idle = undefined
    try {
      await group.run((db) => indexFresh(db, 1))
    } catch {
      // The disk is full, or another process writes. It is tried again after the next write.
    }
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
async function beginImmediate(connection: DatabaseSync): Promise<void> {
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
