import pg from 'pg'
import type { Db, Engine, Snapshot } from '../engine.ts'
import { GroupCommit, type GroupSettings, type Work } from '../group-commit.ts'
import { knownMigration } from '../known-migration.ts'
import { narrowMax, type PlannerHints } from '../planner-hints.ts'
import { sql } from '../sql.ts'
import { READ_ONLY, StorageTrouble } from '../storage-trouble.ts'
import { type Column, inOrderOfReferences, isCopied, type StoredTable } from '../stored-table.ts'
import { buildNextIndex, deferIndexes, fieldsLock, newTurns, RECORD_NUMBERS_TAKEN, retrying } from '../transactions.ts'
import { postgresDecimals } from './decimals.ts'
import { isPassing, sessionTelling, tellingTrouble, violation } from './errors.ts'
import { type ConnectionSettings, connectingTo, endWhenLost, refuseSharedConnections } from './hosts.ts'
import { checkSchema, lock, lockNumber, lockSchema, tryLock } from './locks.ts'
import { insertRows, updateRecords } from './rows.ts'
import { postgresSearch } from './search.ts'
import { BatchingSocket, sessionOn, sessionOnPool, sharedSession, untimed } from './session.ts'
import { postgresReadTransaction, postgresTransaction } from './transaction.ts'

const COUNT_SLOTS = 8

/** After this time without a connection or an answer the database counts as unavailable. */
const UNAVAILABLE_MS = 15_000

const KEEP_ALIVE_MS = 30_000

/**
 * The jobs of a group take their locks one after another, and so not in the lock order. A short timeout keeps groups
 * out of deadlocks and long waits: after it each job runs alone, in the lock order.
 */
const GROUP_LOCK_TIMEOUT = "set local lock_timeout = '50ms'"

const SETTINGS = 'set jit = off; set enable_seqscan = off; set plan_cache_mode = force_generic_plan'

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

export function openPostgres({ url, connections }: { url: string; connections: number }): Engine {
  const connecting = connectingTo(url)
  const pool = openPool({ connecting, connections })
  // Its statements take milliseconds. A server that hangs does not even close its connections.
  const shared = openPool({ connecting, connections: 1, query_timeout: UNAVAILABLE_MS })
  // For callers that hold a connection of the pool: if all of them waited for a second one, none would go on.
  const second = openPool({ connecting, connections: 1 })
  const short = sharedSession(() => shared.connect())
  /** A server that became read-only has been replaced: all connections are opened again, where the writes go. */
  const closeIdle = () => {
    void short.end()
    for (const one of [pool, second]) idleOf(one).forEach((client) => void client.emit('error', new Error(READ_ONLY)))
  }
  const db: Db = { session: sessionTelling(closeIdle, sessionOnPool(pool)) }
  const secondDb: Db = { session: sessionTelling(closeIdle, sessionOnPool(second)) }
  const migration = knownMigration()
  const check = (inside: Db) => checkSchema(inside, migration)
  const transaction = <T>(work: Work<T>): Promise<T> =>
    tellingTrouble(closeIdle, () =>
      retrying(isPassing, async () => postgresTransaction(await pool.connect(), work, { check })),
    )
  const groups = groupsByName({
    transaction: async (work) =>
      postgresTransaction(await pool.connect(), work, { settings: GROUP_LOCK_TIMEOUT, check }),
    alone: transaction,
    jobsMax: 32,
    concurrency: 2,
  })
  return {
    dialect: 'postgres',
    db,
    short: { session: sessionTelling(closeIdle, short.session) },
    single: db,
    transaction,
    groupTransaction: (name, work) => tellingTrouble(closeIdle, () => groups(name, work)),
    async readTransaction(work) {
      return postgresReadTransaction(await pool.connect(), work)
    },
    concurrentWrites: true,
    lock,
    tryLock,
    holdFields,
    insertRows,
    updateRecords,
    ...numbersFromSequences(),
    async numberChanges(workspaceId, from) {
      await sql`select number_changes(${workspaceId})`.run(from === 'transaction' ? secondDb : db)
    },
    async snapshot(work) {
      const client = await pool.connect()
      try {
        return await postgresSnapshot(client, { session: sessionOn(client) }, work)
      } finally {
        client.release()
      }
    },
    loadNames: loadPostgresNames,
    loadTables: loadPostgresTables,
    async analyze() {
      await db.session.run('analyze', [])
    },
    async loadInBulk(work) {
      await this.transaction(async (inside) => {
        // Two loads that begin together must not drop the same index.
        await this.lock(inside, ['kith index builds'])
        await deferIndexes(inside)
      })
      try {
        return await work()
      } finally {
        while (await this.transaction(buildIndex));
        await this.analyze()
      }
    },
    remote: true,
    violation,
    search: postgresSearch,
    hints: postgresHints,
    decimals: postgresDecimals,
    narrowMax,
    // It intersects two sets sooner than it looks up the records of one.
    countedMax: narrowMax,
    countSlot: () => Math.floor(Math.random() * COUNT_SLOTS),
    inTurn: newTurns(),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await db.session.run('select 1', [])
    },
    holdTo: migration.set,
    lockSchema,
    async checkWritable() {
      const isReadOnly = sql<boolean>`select current_setting('transaction_read_only') = 'on'`
      if (!(await isReadOnly.value(db))) return
      closeIdle()
      throw new StorageTrouble('read-only', READ_ONLY)
    },
    checkServer: () => refuseSharedConnections(url),
    async close() {
      await short.end()
      await Promise.all([pool.end(), shared.end(), second.end()])
    },
  }
}

function openPool({
  connecting,
  connections,
  ...limits
}: {
  connecting: ConnectionSettings
  connections: number
  query_timeout?: number
}): pg.Pool {
  const pool = new pg.Pool({
    ...connecting,
    max: connections,
    application_name: 'kith',
    // Statements are sent at once, without waiting for the results of those before them.
    pipeline: true,
    stream: () => new BatchingSocket(),
    connectionTimeoutMillis: UNAVAILABLE_MS,
    ...limits,
    // Some firewalls drop idle connections and tell neither side. Statements on them would wait for many minutes.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Compiling a filter of many conditions takes hundreds of milliseconds, running it only a few. A table holds the
    // records of all workspaces, so it is never scanned where an index finds those of one. Planning a statement for
    // each of its values takes as long as running it.
    onConnect: async (client) => void (await client.query(SETTINGS)),
  })
  // The pool replaces a broken connection, and its statements fail. Without listeners for idle and for used connections
  // the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const idle = idleOf(pool)
  if (limits.query_timeout === undefined) pool.on('connect', (client) => endWhenLost(client, () => !idle.has(client)))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('remove', (client) => idle.delete(client))
  return pool
}

const idleClients = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

/** The connections of a pool that nothing uses at the moment. The pool removes one that reports an error. */
function idleOf(pool: pg.Pool): Set<pg.PoolClient> {
  return idleClients.getOrInsertComputed(pool, () => new Set())
}

function holdFields(inside: Db, workspaceId: string): Promise<number> {
  return sql`select hold_fields(${workspaceId}, ${lockNumber(fieldsLock(workspaceId))}::bigint)`.count(inside)
}

/**
 * Numbers come from sequences, which no transaction holds. A process takes many of those of records at a time, so that
 * most creates need no round trip for them.
 */
function numbersFromSequences(): Pick<Engine, 'takeNumbers' | 'continueNumbers'> {
  const empty = { next: 0, end: 0 }
  let taken = empty
  return {
    async takeNumbers(inside, table, count) {
      const sequence = sql.lit(`${table}_numbers`)
      if (table !== 'records') {
        return sql<number>`select nextval(${sequence}) from generate_series(1, ${count}::int)`.column(inside)
      }
      const numbers: number[] = []
      while (numbers.length < count) {
        if (taken.next === taken.end) {
          const first = await sql`select nextval(${sequence})`.count(inside)
          // What another call has taken meanwhile stays unused.
          taken = { next: first, end: first + RECORD_NUMBERS_TAKEN }
        }
        numbers.push(taken.next++)
      }
      return numbers
    },
    async continueNumbers(inside) {
      for (const table of ['workspaces', 'custom_fields', 'records']) {
        const next = sql`(select coalesce(max(number), 0) + 1 from ${sql.table(table)})`
        await sql`select setval(${sql.lit(`${table}_numbers`)}, ${next}, false)`.run(inside)
      }
      taken = empty
    },
  }
}

/** One group commit for each name, as long as it has jobs. */
function groupsByName(settings: GroupSettings): <T>(name: string, work: Work<T>) => Promise<T> {
  const groups = new Map<string, { commits: GroupCommit; jobs: number }>()
  return async (name, work) => {
    const group = groups.get(name) ?? { commits: new GroupCommit(settings), jobs: 0 }
    groups.set(name, group)
    group.jobs++
    try {
      return await group.commits.run(work)
    } finally {
      group.jobs--
      if (group.jobs === 0) groups.delete(name)
    }
  }
}

async function buildIndex(inside: Db): Promise<boolean> {
  await inside.session.run("set local maintenance_work_mem = '256MB'", [])
  return buildNextIndex(inside)
}

/** So many records are in memory at a time, each up to a megabyte. */
const ROWS_TOGETHER = 100

/** Reads the whole database in one snapshot, while others write. */
async function postgresSnapshot<T>(
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
  join pg_class t on t.relname = c.table_name and t.relnamespace = current_schema()::regnamespace
  where c.table_schema = current_schema() and t.relkind in ('r', 'p') and not t.relispartition
  order by c.table_name, c.ordinal_position`

const KEYS = sql<SnapshotPart>`
  select c.relname as name, a.attname as part from pg_constraint k
  join pg_class c on c.oid = k.conrelid cross join lateral unnest(k.conkey) with ordinality as u (number, place)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number
  where k.contype = 'p' and c.relnamespace = current_schema()::regnamespace order by c.relname, u.place`

const REFERENCES = sql<SnapshotPart>`
  select distinct c.relname as name, f.relname as part from pg_constraint k
  join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`

async function loadPostgresNames(db: Db): Promise<Set<string>> {
  return new Set((await COLUMNS.all(db)).map((column) => column.table_name))
}

async function loadPostgresTables(db: Db): Promise<StoredTable[]> {
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

type SnapshotPart = { name: string; part: string }

function partsByTable(rows: readonly SnapshotPart[]): Map<string, string[]> {
  return new Map([...Map.groupBy(rows, (row) => row.name)].map(([name, own]) => [name, own.map((row) => row.part)]))
}

function typeOf({ table_name, column_name, data_type }: ColumnRow): Column['type'] {
  if (data_type === 'text') return 'text'
  if (['integer', 'bigint', 'double precision'].includes(data_type)) return 'number'
  if (data_type === 'timestamp with time zone') return 'moment'
  if (data_type === 'boolean') return 'flag'
  throw new Error(`A copy cannot hold the column ${table_name}.${column_name}, which is of the type ${data_type}.`)
}

const NOTHING = sql``

export const postgresHints: PlannerHints = {
  probesByKey: false,

  unindexed: (column) => column,

  notJoined: sql`offset 0`,

  // Without the subselect, PostgreSQL searches all records that have the value.
  hasRow(held, alias, matching) {
    return sql`exists (select 1 from (select * from ${held} offset 0) ${sql.raw(alias)} where true ${matching})`
  },

  // A plain join depends on an estimate of the number of rows. A wrong one scans the whole table.
  lookUpEach({ each, table, alias, where }) {
    const rows = sql`select * from ${sql.table(table)} ${sql.raw(alias)} where ${where} offset 0`
    return sql`from ${each} cross join lateral (${rows}) ${sql.raw(alias)} where true`
  },

  distinctRecords: (select) => sql`select distinct one.record as record from (${select}) one`,

  // A hash of the other entries takes half the time of an intersect, which hashes all of them. Without `is true` the
  // planner makes it a join, and looks up each entry.
  within(entries, others) {
    const isIn = others.map((other) => sql`(one.record in (select two.record from (${other}) two)) is true`)
    return sql`${entries} where ${sql.join(isIn, sql` and `)}`
  },

  list: (column) => sql`string_agg(${column}, ',')`,

  listed: (texts) => sql`select unnest(string_to_array(${texts}, ',')) as value`,

  numbers: (column) => sql`'[' || string_agg(${column}::text, ',') || ']'`,

  rows: (json, items) =>
    sql`select ${sql.join(
      items.map((item, index) => sql`e.value ->> ${sql.lit(index)} as ${sql.ref(item)}`),
    )} from json_array_elements(${json}::json) e`,

  // The engine sets `statement_timeout`.
  andInTime: () => NOTHING,
}
