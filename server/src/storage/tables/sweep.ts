import type { Engine } from '../engines/engine.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'

/** Deletes the rows that meet a condition. Reads first, so that nothing writes when there are none. */
export async function sweep(engine: Engine, table: string, condition: RawBuilder<unknown>): Promise<void> {
  const matching = sql`from ${sql.table(table)} where ${condition}`
  const found = await sql`select 1 as found ${matching} limit 1`.one(engine.db)
  if (found) await sql`delete ${matching}`.run(engine.single)
}
