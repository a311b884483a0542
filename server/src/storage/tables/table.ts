import type { Db, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** What rows hold: a value in each of these columns, or one of a list. */
type Where<Row> = { readonly [column in keyof Row]?: Row[column] | readonly NonNullable<Row[column]>[] }

type Name<Row> = keyof Row & string

/**
 * The usual statements on a table of workspace data, each with the workspace. `columns` are those of rows that are
 * inserted together. `appends`: no statement of their transaction reads them.
 */
export function workspaceTable<Row extends object>(
  name: string,
  {
    columns = [],
    numbers,
    appends,
  }: { columns?: readonly Name<Row>[]; numbers?: readonly Name<Row>[]; appends?: true } = {},
) {
  const into = { table: name, columns: columnsOf(['workspace_id', ...columns], numbers) }
  const ownerOf = ({ workspace }: Pick<Tenant, 'workspace'>) => ({ workspace_id: workspace.id })
  return {
    ...statementsOn<Row, Pick<Tenant, 'db' | 'workspace'>>(name, { dbOf: ({ db }) => db, ownerOf }),
    /** Any number of rows with few statements. */
    async insertAll({ engine, db, workspace }: Tenant, rows: readonly Row[]): Promise<void> {
      if (rows.length === 0) return
      const values = rows.map((row) => [workspace.id, ...columns.map((column) => row[column] ?? null)])
      if (appends && db.append) db.append(into, values)
      else await engine.insertRows(db, into, values)
    },
  }
}

/** The usual statements on a table of the installation. */
export function installationTable<Row extends object>(name: string) {
  return statementsOn<Row, Db>(name, { dbOf: (db) => db, ownerOf: () => ({}) })
}

/** `ownerOf`: what every row holds. */
function statementsOn<Row extends object, Place>(
  name: string,
  { dbOf, ownerOf }: { dbOf(place: Place): Db; ownerOf(place: Place): object },
) {
  const table = sql.table(name)
  const own = (place: Place, where: Where<Row>) => sql`${table} where ${holding({ ...where, ...ownerOf(place) })}`
  const insert = (place: Place, row: Partial<Row>) =>
    sql`insert into ${table} ${sql.values({ ...row, ...ownerOf(place) })}`
  return {
    find: (place: Place, where: Where<Row>): Promise<Row | undefined> =>
      sql<Row>`select * from ${own(place, where)} limit 1`.one(dbOf(place)),
    async load(place: Place, where: Where<Row>, ...order: readonly Name<Row>[]): Promise<Row[]> {
      if (isNone(where)) return []
      return sql<Row>`select * from ${own(place, where)} order by ${sql.join(order.map(sql.ref))}`.all(dbOf(place))
    },
    has: (place: Place, where: Where<Row> = {}): Promise<boolean> =>
      sql`select 1 from ${own(place, where)} limit 1`.exists(dbOf(place)),
    count: (place: Place, where: Where<Row> = {}): Promise<number> =>
      sql`select count(*) as n from ${own(place, where)}`.count(dbOf(place)),
    /** Columns that are not given are null. */
    async insert(place: Place, row: Partial<Row>): Promise<void> {
      await insert(place, row).run(dbOf(place))
    },
    /** The same. Returns the row as it is stored. */
    async create(place: Place, row: Partial<Row>): Promise<Row> {
      const stored = await sql<Row>`${insert(place, row)} returning *`.one(dbOf(place))
      if (!stored) throw new Error(`A row of ${name} was not stored.`)
      return stored
    },
    /** Inserts a row, in the place of the one with the same key. */
    async put(place: Place, row: Row, key: readonly Name<Row>[]): Promise<void> {
      const owner = ownerOf(place)
      const fixed = [...Object.keys(owner), ...key]
      const changes = Object.entries(row).filter(([column]) => !fixed.includes(column))
      await sql`${insert(place, row)} on conflict (${sql.join(fixed.map(sql.ref))})
        do update set ${sql.set(Object.fromEntries(changes))}`.run(dbOf(place))
    },
    /** Returns how many rows there were. */
    update: (place: Place, where: Where<Row>, changes: Partial<Row>): Promise<number> =>
      sql`update ${table} set ${sql.set(changes)} where ${holding({ ...where, ...ownerOf(place) })}`.run(dbOf(place)),
    /** Returns how many rows there were. */
    async remove(place: Place, where: Where<Row>): Promise<number> {
      return isNone(where) ? 0 : sql`delete from ${own(place, where)}`.run(dbOf(place))
    },
  }
}

/** Whether no row can hold the values: one of an empty list. */
function isNone(where: object): boolean {
  return Object.values(where).some((value) => Array.isArray(value) && value.length === 0)
}

function holding(where: object): Sql<unknown> {
  const conditions = Object.entries(where).map(([column, value]) => {
    // A condition that is missing by mistake must not mean all rows.
    if (value === undefined) throw new Error(`The statement has no value for ${column}.`)
    if (Array.isArray(value)) return sql`${sql.ref(column)} ${sql.among(value)}`
    return value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`
  })
  if (conditions.length === 0) throw new Error('The statement has no condition.')
  return sql.join(conditions, sql` and `)
}

/** One page of the rows of a `from` clause, the latest first, and how many there are. */
export async function pageOf<Row>(
  db: Db,
  alias: string,
  { from, limit, offset }: { from: Sql<unknown>; limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
  const some = sql<Row>`select ${sql.raw(alias)}.* ${from} order by ${sql.ref(`${alias}.id`)} desc
    limit ${sql.unseen(limit)} offset ${sql.unseen(offset)}`
  return { rows: await some.all(db), total: await sql`select count(*) as total ${from}`.count(db) }
}
