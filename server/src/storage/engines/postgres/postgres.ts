import { createHash } from 'node:crypto'
import pg from 'pg'
import { fieldsLock } from '../../tables/workspaces.ts'
import type { Db, Engine } from '../engine.ts'
import { GroupCommit, type GroupSettings, type Work } from '../group-commit.ts'
import { buildNextIndex, deferIndexes } from '../index-builds.ts'
import { narrowMax } from '../planner-hints.ts'
import { sql } from '../sql.ts'
import { newTurns, posting, retrying } from '../transactions.ts'
import { isPassing, sessionTelling, tellingTrouble, violation } from './errors.ts'
import { postgresHints } from './planner-hints.ts'
import { refuseSharedConnections } from './pooler.ts'
import { insertRows, updateRows } from './rows.ts'
import { postgresSearch } from './search.ts'
import { BatchingSocket, sessionOn, sessionOnPool, sharedSession } from './session.ts'
import { loadPostgresNames, loadPostgresTables, postgresSnapshot } from './snapshot.ts'
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

type PoolSettings = { url: string; connections: number; query_timeout?: number }

export function openPostgres({ url, connections }: PoolSettings): Engine {
  const pool = openPool({ url, connections })
  // Its statements take milliseconds. A server that hangs does not even close its connections.
  const shared = openPool({ url, connections: 1, query_timeout: UNAVAILABLE_MS })
  // For callers that hold a connection of the pool: if all of them waited for a second one, none would go on.
  const second = openPool({ url, connections: 1 })
  const db: Db = { session: sessionOnPool(pool) }
  const secondDb: Db = { session: sessionOnPool(second) }
  const short = sharedSession(() => shared.connect())
  const transaction = <T>(work: Work<T>): Promise<T> =>
    tellingTrouble(() => retrying(isPassing, async () => postgresTransaction(await pool.connect(), work)))
  const groups = groupsByName({
    transaction: async (work) => postgresTransaction(await pool.connect(), work, GROUP_LOCK_TIMEOUT),
    alone: transaction,
    jobsMax: 32,
    concurrency: 2,
  })
  return {
    dialect: 'postgres',
    db,
    short: { session: short.session },
    single: { session: sessionTelling(db.session) },
    transaction,
    groupTransaction: (name, work) => tellingTrouble(() => groups(name, work)),
    async readTransaction(work) {
      return postgresReadTransaction(await pool.connect(), work)
    },
    concurrentWrites: true,
    async lock(inside, names) {
      if (names.length === 0) return
      const numbers = [...new Set(names.map(lockNumber))]
      // In ascending order, so that two transactions with the same locks never wait for each other. The next statement
      // sees what was committed before the locks were taken, although it is sent without waiting for them.
      await sql`select pg_advisory_xact_lock(n)
        from (select n from unnest(${numbers}::bigint[]) n order by n) ordered`.run(posting(inside))
    },
    async tryLock(inside, name) {
      const taken = sql<boolean>`select pg_try_advisory_xact_lock(${lockNumber(name)}::bigint)`
      return (await taken.value(inside)) ?? false
    },
    holdFields,
    insertRows,
    updateRows,
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
    narrowMax,
    // It intersects two sets sooner than it looks up the records of one.
    countedMax: narrowMax,
    countSlot: () => Math.floor(Math.random() * COUNT_SLOTS),
    inTurn: newTurns(),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await db.session.run('select 1', [])
    },
    checkServer: () => refuseSharedConnections(url),
    async close() {
      await short.close()
      await Promise.all([pool.end(), shared.end(), second.end()])
    },
  }
}

function openPool({ url, connections, ...limits }: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
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
  return pool
}

function holdFields(inside: Db, workspaceId: string): Promise<number> {
  return sql`select hold_fields(${workspaceId}, ${lockNumber(fieldsLock(workspaceId))}::bigint)`.count(inside)
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

function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE(0).toString()
}
