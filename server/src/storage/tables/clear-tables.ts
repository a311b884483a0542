import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { derivedTables, type StoredTable } from '../engines/stored-table.ts'

/** Deletes all rows of these tables and of everything derived from them. */
export async function clearTables(engine: Engine, inside: Db, tables: readonly StoredTable[]): Promise<void> {
  for (const name of [...engine.search.tables, ...(await namesInReverse(engine, inside, tables))]) {
    await sql`delete from ${sql.table(name)}`.run(inside)
  }
}

/**
 * Derived tables first, then every table before those that it references: the order in which rows can be deleted. A
 * database, or the version of a backup, may lack some of the derived tables.
 */
export async function namesInReverse(
  { loadNames }: Pick<Engine, 'loadNames'>,
  db: Db,
  tables: readonly StoredTable[],
): Promise<string[]> {
  const known = await loadNames(db)
  return [...derivedTables.filter((name) => known.has(name)), ...tables.toReversed().map((table) => table.name)]
}

/** The first of these tables that has a row. */
export async function findFilled(inside: Db, tables: readonly StoredTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if (await sql`select 1 from ${sql.table(name)} limit 1`.exists(inside)) return name
  }
  return undefined
}
