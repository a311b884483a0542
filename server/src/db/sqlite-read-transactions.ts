import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Db } from './engine.ts'

type Reader = { connection: DatabaseSync; db: Db; begin: StatementSync; commit: StatementSync }

/** More connections are open only while that many calls read at the same time. */
const READERS_KEPT = 2

/**
 * Read transactions of the write-ahead log. Each has a connection of its own: calls take turns in a thread whenever one of them awaits something, and
 * on a shared connection one of them would end the transaction of another, or read as of its moment.
 */
export function readTransactions(open: () => DatabaseSync, over: (connection: DatabaseSync) => Db) {
  const free: Reader[] = []

  function newReader(): Reader {
    const connection = open()
    const [begin, commit] = [connection.prepare('begin'), connection.prepare('commit')]
    return { connection, db: over(connection), begin, commit }
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
      try {
        reader.begin.run()
        return await work(reader.db)
      } finally {
        release(reader)
      }
    },
    close(): void {
      for (const { connection } of free.splice(0)) connection.close()
    },
  }
}
