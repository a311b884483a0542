import { DatabaseSync } from 'node:sqlite'
import type { Db, Snapshot } from '../engine.ts'
import { sql } from '../sql.ts'
import { type Column, inOrderOfReferences, isCopied, type StoredTable } from '../stored-table.ts'

/** Reads the whole file in one snapshot, while others write: a read transaction of the write-ahead log. */
export async function sqliteSnapshot<T>(
  path: string,
  over: (connection: DatabaseSync) => Db,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    connection.exec('begin')
    const db = over(connection)
    const tables = await loadSqliteTables(db)
    return await work({
      db,
      tables,
      async *rows(table) {
        const { columns, key } = table
        const names = columns.map((column) => `"${column.name}"`).join(', ')
        const order = key.map((name) => `"${name}"`).join(', ')
        const statement = connection.prepare(`select ${names} from "${table.name}" order by ${order}`)
        for (const row of statement.iterate()) yield columns.map((column) => row[column.name])
      },
    })
  } finally {
    connection.close()
  }
}

type ColumnRow = { name: string; type: string; pk: number }

export async function loadSqliteNames(db: Db): Promise<Set<string>> {
  return new Set(await sql<string>`select name from sqlite_schema where type = 'table' order by name`.column(db))
}

export async function loadSqliteTables(db: Db): Promise<StoredTable[]> {
  const names = [...(await loadSqliteNames(db))].filter(isCopied)
  return inOrderOfReferences(await Promise.all(names.map((name) => loadTable(db, name))))
}

async function loadTable(db: Db, name: string): Promise<StoredTable> {
  const found = await sql<ColumnRow>`select name, type, pk from pragma_table_info(${name})`.all(db)
  // Row numbers are internal to SQLite, and the search index that uses them is rebuilt.
  const own = found.filter((column) => column.name !== 'seq')
  const primary = own.filter((column) => column.pk > 0).sort((one, other) => one.pk - other.pk)
  return {
    name,
    columns: own.map((column) => ({ name: column.name, type: typeOf(name, column) })),
    key: primary.length > 0 ? primary.map((column) => column.name) : ['workspace_id', 'id'],
    references: await sql<string>`select distinct "table" from pragma_foreign_key_list(${name})`.column(db),
  }
}

function typeOf(table: string, { name, type }: ColumnRow): Column['type'] {
  const declared = type.toLowerCase()
  if (declared === 'text') return 'text'
  if (['integer', 'bigint', 'double precision', 'real'].includes(declared)) return 'number'
  throw new Error(`A copy cannot hold the column ${table}.${name}, which is of the type ${type}.`)
}
