import type { Db } from './engine.ts'
import { sql } from './sql.ts'

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
