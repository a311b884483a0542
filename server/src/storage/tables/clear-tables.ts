import type { Db, Engine } from '../engines/engine.ts'
import type { StoredTable } from '../engines/stored-table.ts'

/** Takes every row out of these tables, and out of all that is derived from them. */
export async function clearTables(engine: Engine, inside: Db, tables: readonly StoredTable[]): Promise<void> {
  const derived = ['field_values', 'record_counts', ...engine.search.tables]
  // The other way round, so that no row goes before those that name it.
  const names = [...derived, ...tables.toReversed().map((table) => table.name)]
  for (const name of names) await inside.session.run(`delete from "${name}"`, [])
}

/** The first of these tables that holds a row. */
export async function findFilled(inside: Db, tables: readonly StoredTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rows } = await inside.session.run(`select 1 from "${name}" limit 1`, [])
    if (rows.length > 0) return name
  }
  return undefined
}
