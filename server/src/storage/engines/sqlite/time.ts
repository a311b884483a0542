import type { DatabaseSync } from 'node:sqlite'
import { type TimeLimit, timeLeft, timeLimit } from '../../../scope/time-limit.ts'

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
