import type { Db } from './engine.ts'
import { type Session, sql } from './sql.ts'

/** Does work in a transaction and takes back everything that it has written. */
export async function takeBack<T>(inside: Db, work: (db: Db) => Promise<T>): Promise<T> {
  await sql`savepoint taken_back`.run(inside)
  try {
    return await work(discarding(inside))
  } finally {
    await sql`rollback to savepoint taken_back`.run(inside)
    await sql`release savepoint taken_back`.run(inside)
  }
}

/** What the end of the transaction would write is not kept either. */
function discarding({ session, posting, count, append }: Db): Db {
  const db: Db = { session }
  if (count) db.count = () => {}
  if (append) db.append = () => {}
  if (posting) db.posting = discarding(posting)
  return db
}

/** For statements whose results are not needed: inside a transaction on a remote database they are not waited for. */
export function posting(inside: Db): Db {
  return inside.posting ?? inside
}

/** What a transaction read before it had its locks has changed since. The engine runs the transaction again. */
export class Conflict extends Error {
  constructor() {
    super('What was read before it was locked has changed.')
  }
}

const ATTEMPTS = 8
const SHORTEST_MS = 10
const LONGEST_MS = 250

/** Retries work that fails for a temporary reason, a few times and after random pauses. */
export async function retrying<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error
    }
    // Two transactions that met once would meet again if both waited equally long.
    const longest = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** attempt)
    await new Promise((resume) => setTimeout(resume, Math.random() * longest))
  }
}

/**
 * A session that takes statements until it is ended. If one of several concurrent reads fails, their transaction ends,
 * and statements of the others must not reach a connection that another call may use by then.
 */
export function untilEnded({ dialect, run }: Session): { session: Session; end(): void } {
  let ended = false
  const session: Session = {
    dialect,
    async run(sql, parameters) {
      if (ended) throw new Error('The read transaction has ended.')
      return run(sql, parameters)
    },
  }
  const end = () => {
    ended = true
  }
  return { session, end }
}

/** One at a time for each name, in the order in which they came. */
export function newTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before === undefined ? work() : before.then(work, work)
    // The next one waits for the end, also after a failure.
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
