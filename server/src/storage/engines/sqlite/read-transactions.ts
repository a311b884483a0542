import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Db } from '../engine.ts'
import type { Session } from '../session.ts'
import { untilEnded } from '../until-ended.ts'

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
