import type { Violation } from '../engine.ts'
import type { Session } from '../sql.ts'
import { codeOf, DISK_FULL, READ_ONLY, StorageTrouble } from '../storage-trouble.ts'
import { Conflict } from '../transactions.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** The transaction was rolled back because of others, and may well succeed when it is run again. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  return error instanceof Conflict || code === SERIALIZATION_FAILURE || code === DEADLOCK
}

/** The server accepts no writes: it is a replica, or was the primary before a failover. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** Lost connections, shutdowns, deadlocks, lack of room: worth another try, and no fault of the caller. */
const BUSY = /^(08|40|53|55P03|57P0|58)/
/** The machine, or the network to it, is gone. */
export const OUT_OF_REACH = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])
const BROKEN_SOCKETS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'])

/** Errors that the driver detects itself have no code. */
const LOST = /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout/

export function violation(error: unknown): Violation | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  if (code === '23505') return 'unique'
  if (code === '23503') return 'reference'
  const isBroken = BROKEN_SOCKETS.has(code) || OUT_OF_REACH.has(code) || LOST.test(error.message)
  return isBroken || BUSY.test(code) || isReadOnly(error) || isOfOurOwn(error) ? 'busy' : undefined
}

function isOfOurOwn(error: Error): boolean {
  return error instanceof Conflict || error instanceof StorageTrouble
}

const NO_SPACE = '53100'

/**
 * Turns the server's errors about a full disk and about writes to a read-only server into a StorageTrouble.
 * `onReadOnly` is called for the latter: the other connections lead to the same server.
 */
export async function tellingTrouble<T>(onReadOnly: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isReadOnly(error)) {
      onReadOnly()
      throw new StorageTrouble('read-only', READ_ONLY, { cause: error })
    }
    if (codeOf(error) !== NO_SPACE) throw error
    throw new StorageTrouble('full', DISK_FULL, { cause: error })
  }
}

export function sessionTelling(onReadOnly: () => void, session: Session): Session {
  return {
    ...session,
    run: (text, parameters) => tellingTrouble(onReadOnly, async () => session.run(text, parameters)),
  }
}
