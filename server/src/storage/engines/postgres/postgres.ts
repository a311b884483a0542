import { createHash } from 'node:crypto'
import pg from 'pg'
import { fieldsLock } from '../../tables/fields-lock.ts'
import type { Db, Engine } from '../engine.ts'
import { handleOver } from '../handle.ts'
import { countedMax, narrowMax } from '../narrow-max.ts'
import { posting } from '../posting.ts'
import { retrying } from '../retrying.ts'
import { newTurns } from '../turns.ts'
import { isPassing, violation } from './errors.ts'
import { buildNextIndex, deferIndexes } from './index-builds.ts'
import { postgresHints } from './planner-hints.ts'
import { insertRows, updateRow } from './rows.ts'
import { postgresSearch } from './search.ts'
import { sessionOn, sessionOnPool } from './session.ts'
import { sharedOn } from './shared-transaction.ts'
import { shortOn } from './short-statements.ts'
import { loadPostgresTables, postgresSnapshot } from './snapshot.ts'
import { runTogether } from './together.ts'
import { postgresReadTransaction, postgresTransaction } from './transaction.ts'
import { sessionTelling, tellingTrouble } from './trouble.ts'

const COUNT_SLOTS = 8
const CONNECT_MS = 15_000
const LOCKED_IF_FREE = 'select 1 from unnest($1::bigint[]) n where pg_try_advisory_xact_lock(n)'
const SETTINGS = 'set jit = off; set enable_seqscan = off; set plan_cache_mode = force_generic_plan'

pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

export type PoolSettings = { url: string; connections: number }

export function openPostgres({ url, connections }: PoolSettings): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    application_name: 'kith',
    // What is asked inside a transaction before the last answer has come is sent at once, and not held back until it comes.
    pipeline: true,
    // Whoever waits longer for a connection than this is told that the database is not available.
    connectionTimeoutMillis: CONNECT_MS,
    // A filter of many conditions runs in a few milliseconds; compiling it first would take hundreds. And a table holds the records of all
    // workspaces: where an index leads to those of one, it is never gone through from end to end, whatever statistics say. A statement is planned once
    // and not for each of its values: that took about as long as to run it.
    onConnect: async (client) => void (await client.query(SETTINGS)),
  })
  // A connection that breaks is replaced by the pool, and whoever asked something over it is told. Without listeners,
  // one for those that wait and one for those at work, it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = handleOver(sessionOnPool(pool), { short: shortOn(pool) })
  const shareTransaction = sharedOn(pool)
  return {
    dialect: 'postgres',
    db,
    single: handleOver(sessionTelling(db.session)),
    transaction: (work) =>
      tellingTrouble(() => retrying(isPassing, async () => postgresTransaction(await pool.connect(), work))),
    sharedTransaction: (name, work) => tellingTrouble(() => shareTransaction(name, work)),
    async readTransaction(work) {
      return postgresReadTransaction(await pool.connect(), work)
    },
    concurrentWrites: true,
    // Each statement of a transaction that writes sees what was committed before that statement.
    transactionIsSnapshot: false,
    async lock(inside, names) {
      if (names.length === 0) return
      const numbers = [...new Set(names.map(lockNumber))]
      if (inside.shared) return inside.shared.take(numbers, LOCKED_IF_FREE, [numbers])
      // In ascending order, so that two transactions that want the same locks never wait for each other.
      // Whatever is asked next sees what was committed before the locks were had, though it is sent without waiting for them.
      await posting(inside).session.run(
        'select pg_advisory_xact_lock(n) from (select n from unnest($1::bigint[]) n order by n) ordered',
        [numbers],
      )
    },
    async holdFields(inside, workspaceId) {
      const parameters = [workspaceId, lockNumber(fieldsLock(workspaceId))]
      const { rows } = await inside.session.run('select hold_fields($1, $2::bigint) as version', parameters)
      // The function returns one number.
      return (rows as { version: number }[])[0]?.version ?? 0
    },
    async expectFields(inside, workspaceId, expected) {
      const expect = async () => {
        const parameters = [workspaceId, lockNumber(fieldsLock(workspaceId)), expected]
        await posting(inside).session.run('select expect_fields($1, $2::bigint, $3)', parameters)
      }
      if (inside.shared) await inside.shared.once(`fields ${workspaceId} ${expected}`, expect)
      else await expect()
      return expected
    },
    together: runTogether,
    insertRows,
    updateRow,
    async snapshot(work) {
      const client = await pool.connect()
      try {
        return await postgresSnapshot(client, handleOver(sessionOn(client)), work)
      } finally {
        client.release()
      }
    },
    loadTables: loadPostgresTables,
    async analyze() {
      await db.session.run('analyze', [])
    },
    async loadInBulk(work) {
      await this.transaction(deferIndexes)
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
    countedMax: (live) => countedMax(postgresHints.lookUpCost, live),
    countSlot: () => Math.floor(Math.random() * COUNT_SLOTS),
    inTurn: newTurns(),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async ping() {
      await db.session.run('select 1', [])
    },
    async close() {
      await pool.end()
    },
  }
}

async function buildIndex(inside: Db): Promise<boolean> {
  await inside.session.run("set local maintenance_work_mem = '256MB'", [])
  return buildNextIndex(inside)
}

function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE(0).toString()
}
