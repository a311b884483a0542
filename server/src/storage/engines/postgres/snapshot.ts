import type pg from 'pg'
import type { Db, Snapshot } from '../engine.ts'
import { sql } from '../sql.ts'
import { type Column, inOrderOfReferences, isCopied, type StoredTable } from '../stored-table.ts'
import { untimed } from './session.ts'

/** So many records are in memory at a time, each up to a megabyte. */
const ROWS_TOGETHER = 100

/** Reads the whole database in one snapshot, while others write. */
export async function postgresSnapshot<T>(
  client: pg.PoolClient,
  db: Db,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  untimed(client)
  await client.query('begin isolation level repeatable read read only')
  try {
    const tables = await loadPostgresTables(db)
    return await work({ db, tables, rows: (table) => rowsOf(client, table) })
  } finally {
    await client.query('rollback')
  }
}

async function* rowsOf(client: pg.PoolClient, { name, columns, key }: StoredTable): AsyncGenerator<unknown[]> {
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const order = key.map((column) => `"${column}"`).join(', ')
  await client.query(`declare copied no scroll cursor for select ${names} from "${name}" order by ${order}`)
  while (true) {
    const { rows } = await client.query({ text: `fetch ${ROWS_TOGETHER} from copied`, rowMode: 'array' })
    for (const row of rows) yield row.map(portable)
    if (rows.length < ROWS_TOGETHER) break
  }
  await client.query('close copied')
}

/** Times and yes-or-no in the form in which SQLite keeps them. */
function portable(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'boolean' ? Number(value) : value
}

type ColumnRow = { table_name: string; column_name: string; data_type: string }

const COLUMNS = sql<ColumnRow>`
  select c.table_name, c.column_name, c.data_type from information_schema.columns c
  join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
  where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`

const KEYS = sql<Part>`
  select c.relname as name, a.attname as part from pg_constraint k
  join pg_class c on c.oid = k.conrelid cross join lateral unnest(k.conkey) with ordinality as u (number, place)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number
  where k.contype = 'p' and c.relnamespace = current_schema()::regnamespace order by c.relname, u.place`

const REFERENCES = sql<Part>`
  select distinct c.relname as name, f.relname as part from pg_constraint k
  join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`

export async function loadPostgresNames(db: Db): Promise<Set<string>> {
  return new Set((await COLUMNS.all(db)).map((column) => column.table_name))
}

export async function loadPostgresTables(db: Db): Promise<StoredTable[]> {
  const keys = partsByTable(await KEYS.all(db))
  const references = partsByTable(await REFERENCES.all(db))
  const tables = Map.groupBy(await COLUMNS.all(db), (column) => column.table_name)
  return inOrderOfReferences(
    [...tables]
      .filter(([name]) => isCopied(name))
      .map(([name, own]) => ({
        name,
        columns: own.map((column) => ({ name: column.column_name, type: typeOf(column) })),
        key: keys.get(name) ?? ['id'],
        references: references.get(name) ?? [],
      })),
  )
}

type Part = { name: string; part: string }

function partsByTable(rows: readonly Part[]): Map<string, string[]> {
  return new Map([...Map.groupBy(rows, (row) => row.name)].map(([name, own]) => [name, own.map((row) => row.part)]))
}

function typeOf({ table_name, column_name, data_type }: ColumnRow): Column['type'] {
  if (data_type === 'text') return 'text'
  if (['integer', 'bigint', 'double precision'].includes(data_type)) return 'number'
  if (data_type === 'timestamp with time zone') return 'moment'
  if (data_type === 'boolean') return 'flag'
  throw new Error(`A copy cannot hold the column ${table_name}.${column_name}, which is of the type ${data_type}.`)
}
