import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** What the clock of the database says, in milliseconds. */
export async function loadDatabaseTime(db: Db): Promise<number> {
  const at = await sql<string | Date>`select current_timestamp`.value(db)
  return new Date(at ?? Number.NaN).getTime()
}
