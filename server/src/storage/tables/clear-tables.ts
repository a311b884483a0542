import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { derivedTables, type StoredTable } from '../engines/stored-table.ts'

/** Deletes all rows of these tables and of everything derived from them. */
export async function clearTables({ search }: Engine, inside: Db, tables: readonly StoredTable[]): Promise<void> {
  for (const name of [...search.tables, ...namesInReverse(tables)]) {
    await sql`delete from ${sql.table(name)}`.run(inside)
  }
}

/** Derived tables first, then every table before those that it references: the order in which rows can be deleted. */
export function namesInReverse(tables: readonly StoredTable[]): string[] {
  return [...derivedTables, ...tables.toReversed().map((table) => table.name)]
}

/** The first of these tables that has a row. */
export async function findFilled(inside: Db, tables: readonly StoredTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if (await sql`select 1 from ${sql.table(name)} limit 1`.exists(inside)) return name
  }
  return undefined
}
