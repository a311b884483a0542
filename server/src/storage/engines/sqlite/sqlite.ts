import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Db, Engine, Snapshot, Violation } from '../engine.ts'
import { knownMigration } from '../known-migration.ts'
import { countedMax, narrowMax } from '../planner-hints.ts'
import { type Outcome, type Session, sql } from '../sql.ts'
import { DatabaseBusy, StorageTrouble } from '../storage-trouble.ts'
import { type Column, inOrderOfReferences, isCopied, type StoredTable } from '../stored-table.ts'
import { buildNextIndex, deferIndexes, loadFieldsVersion } from '../transactions.ts'
import { addDecimals, sqliteDecimals } from './decimals.ts'
import {
  asTrouble,
  checkSpace,
  createFile,
  errcodeOf,
  existingFile,
  type FileIdentity,
  type OpenFile,
  openFile,
} from './file.ts'
import { sqliteHints } from './planner-hints.ts'
import { insertRows, numbersInOrder, updateRecords } from './rows.ts'
import { sqliteSearch } from './search.ts'
import { readTransactions, timedOn, writeTransactions } from './transactions.ts'

const STATEMENTS_KEPT = 500

const BUSY_TIMEOUT_MS = 5000

export type SqliteSettings = {
  writes: boolean
  /** Runs single statements in the thread that writes, when this engine only reads. */
  runInWriter?: Session['run']
  /** Whether a file is made where there is none. Unless told otherwise, an engine that writes does. */
  create?: boolean
  /** The file that was opened before under this name. */
  file?: FileIdentity
}

/**
 * SQLite through Node's own driver, which is synchronous. So the service runs long reads and all writes in their own
 * threads (see calls/), each with an engine like this one.
 */
export function openSqlite(path: string, settings: SqliteSettings): Engine {
  const { writes, runInWriter, create = writes } = settings
  if (create) createFile(path)
  const file = openFile(path, settings.file)
  if (settings.file) file.check()
  // The writer comes first: it is the one that creates the write-ahead log.
  const writer = writes ? openWriter(path) : undefined
  const reader = openReader(path)
  const db = handle(reader)
  const reading = readTransactions(() => openReader(path), sqliteSession)
  const migration = knownMigration()
  const writing = writer && writeTransactions(writer, handle(writer), { file: watchedBy(writer, file), migration })

  function write<T>(work: (inside: Db) => Promise<T>): Promise<T> {
    if (!writing) throw new Error('This engine only reads.')
    return writing.run(work)
  }

  return {
    dialect: 'sqlite',
    db,
    short: db,
    single: {
      session: {
        dialect: 'sqlite',
        run: runInWriter ?? ((sql, values) => write(async ({ session }) => session.run(sql, values))),
      },
    },
    transaction: write,
    groupTransaction: (_name, work) => write(work),
    readTransaction: reading.run,
    concurrentWrites: false,
    // Only one transaction writes at a time.
    async lock() {},
    tryLock: async () => true,
    holdFields: loadFieldsVersion,
    insertRows,
    updateRecords,
    takeNumbers: numbersInOrder(),
    // The next number is one more than the last.
    async continueNumbers() {},
    // The insert numbers them.
    async numberChanges() {},
    snapshot: (work) => sqliteSnapshot(path, handle, work),
    loadNames: loadSqliteNames,
    loadTables: loadSqliteTables,
    // The statistics that a load leaves behind are good enough.
    async analyze() {},
    async loadInBulk(work) {
      await write(deferIndexes)
      await write((inside) => setHashSize(inside, BULK_HASH_BYTES))
      // A power cut may then take back the last batches, and nothing else.
      writer?.exec('pragma synchronous = normal')
      try {
        return await work()
      } finally {
        await write((inside) => setHashSize(inside, USUAL_HASH_BYTES))
        while (await write(buildNextIndex));
        writer?.exec('pragma synchronous = full')
        await write(analyze)
      }
    },
    remote: false,
    violation,
    search: sqliteSearch,
    hints: sqliteHints,
    decimals: sqliteDecimals,
    narrowMax,
    countedMax,
    countSlot: () => 0,
    // The one writer is the queue.
    inTurn: (_name, work) => work(),
    pool: () => undefined,
    holdTo: migration.set,
    // Only one transaction writes at a time.
    async lockSchema() {},
    checkWritable() {
      return this.ping()
    },
    async ping() {
      file.check()
      checkSpace(path)
      await db.session.run('select 1', [])
    },
    checkServer: async () => {},
    async close() {
      await writing?.close()
      if (writer) optimize(writer)
      reading.close()
      reader.close()
      writer?.close()
      file.close()
    },
  }
}

/** Where the file system has no shared memory, SQLite writes without a log. */
function watchedBy(writer: DatabaseSync, file: OpenFile): OpenFile {
  const { journal_mode } = writer.prepare('pragma journal_mode').get() ?? {}
  return journal_mode === 'wal' ? file : { ...file, checkCommit: file.check }
}

/** Statistics of the counts from a time with few workspaces lead to full scans when there are many. */
const WITHOUT_COUNTS = `delete from sqlite_stat1 where tbl = 'record_counts'`

async function analyze(inside: Db): Promise<void> {
  await inside.session.run('analyze', [])
  await inside.session.run(WITHOUT_COUNTS, [])
}

function optimize(writer: DatabaseSync): void {
  try {
    writer.exec('pragma optimize')
    const { known } =
      writer.prepare(`select count(*) as known from sqlite_schema where name = 'sqlite_stat1'`).get() ?? {}
    if (known === 1) writer.exec(WITHOUT_COUNTS)
  } catch (error) {
    // While another process writes, the statistics stay as they are: the next one to close sees to them.
    if (violation(error) !== 'busy') throw error
  }
}

/** How much the search index collects before it writes a segment. Larger segments are merged less often. */
const BULK_HASH_BYTES = 64 * 1024 * 1024

const USUAL_HASH_BYTES = 1024 * 1024

async function setHashSize(inside: Db, bytes: number): Promise<void> {
  await inside.session.run(`insert into search (search, rank) values ('hashsize', ${bytes})`, [])
}

function openWriter(path: string): DatabaseSync {
  const connection = new DatabaseSync(existingFile(path), { timeout: BUSY_TIMEOUT_MS })
  connection.exec('pragma journal_mode = wal')
  connection.exec('pragma synchronous = full')
  // A record changes about twenty pages, many of them repeatedly: a longer log writes each back less often.
  connection.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`)
  connection.exec('pragma foreign_keys = on')
  // Statistics are made from samples, so that closing a large database is as quick as closing a small one.
  connection.exec('pragma analysis_limit = 400')
  // While an index is built, a second thread sorts the rows that the first has read.
  connection.exec('pragma threads = 1')
  connection.exec(`pragma cache_size = -${WRITER_CACHE_KB}`)
  // From here on, transactions wait for other processes without blocking the thread.
  connection.exec('pragma busy_timeout = 0')
  return connection
}

/** 16 MB. */
const LOG_PAGES = 4000

/** Whether the pages of a file fit together. */
export function isWhole(path: string): boolean {
  const connection = new DatabaseSync(existingFile(path))
  try {
    return connection.prepare('pragma quick_check(1)').get()?.quick_check === 'ok'
  } catch (error) {
    if (asTrouble(error) instanceof StorageTrouble) return false
    throw error
  } finally {
    connection.close()
  }
}

function openReader(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  connection.exec(`pragma cache_size = -${READER_CACHE_KB}`)
  return connection
}

/** The page cache of a connection. The operating system caches the rest, in memory that it can reclaim. */
const READER_CACHE_KB = 5 * 1024

const WRITER_CACHE_KB = 12 * 1024

function handle(connection: DatabaseSync): Db {
  return { session: sqliteSession(connection) }
}

type CachedStatement = { statement: StatementSync; rowOf: ((values: unknown[]) => unknown) | undefined }

function sqliteSession(connection: DatabaseSync): Session {
  const kept = new Map<string, CachedStatement>()
  const timed = timedOn(connection)
  addDecimals(connection)

  function prepared(sql: string): CachedStatement {
    const known = kept.get(sql)
    if (known) return known
    const statement = connection.prepare(sql)
    const columns = statement.columns()
    const entry = { statement, rowOf: columns.length > 0 ? rowMaker(columns) : undefined }
    if (entry.rowOf) statement.setReturnArrays(true)
    // A write returns the last row number, and those of the search index exceed the numbers of JavaScript.
    else statement.setReadBigInts(true)
    if (kept.size >= STATEMENTS_KEPT) {
      const oldest = kept.keys().next().value
      if (oldest !== undefined) kept.delete(oldest)
    }
    kept.set(sql, entry)
    return entry
  }

  return {
    dialect: 'sqlite',
    run(sql, parameters): Outcome {
      try {
        const { statement, rowOf } = prepared(sql)
        // All values that are bound are text, numbers or null.
        const values = parameters as (string | number | null)[]
        if (rowOf) {
          const rows: unknown[] = timed(() => statement.all(...values))
          // The statement was told to return arrays.
          for (let i = 0; i < rows.length; i++) rows[i] = rowOf(rows[i] as unknown[])
          return { rows, affected: 0 }
        }
        return { rows: [], affected: Number(statement.run(...values).changes) }
      } catch (error) {
        throw asTrouble(error)
      }
    },
  }
}

const UNIQUE_CODES = new Set([2067, 1555])

const REFERENCE_CODE = 787

/** Busy, locked, out of memory, read-only, input/output, full, cannot open: not the fault of the caller. */
const BUSY_CODES = new Set([5, 6, 7, 8, 10, 13, 14])

function violation(error: unknown): Violation | undefined {
  if (error instanceof StorageTrouble || error instanceof DatabaseBusy) return 'busy'
  const code = errcodeOf(error)
  if (UNIQUE_CODES.has(code)) return 'unique'
  if (code === REFERENCE_CODE) return 'reference'
  return BUSY_CODES.has(code & 0xff) ? 'busy' : undefined
}

/**
 * Makes a row out of its values. One literal for each statement is what JavaScript makes fastest: a list of records
 * takes a third less time than with the objects of the driver. The names are those of our own columns.
 */
function rowMaker(columns: readonly { name: string }[]): CachedStatement['rowOf'] {
  const entries = columns.map(({ name }, index) => `${JSON.stringify(name)}: v[${index}]`)
  // A function of one argument, by its text.
  return new Function('v', `return { ${entries.join(', ')} }`) as CachedStatement['rowOf']
}

/** Reads the whole file in one snapshot, while others write: a read transaction of the write-ahead log. */
async function sqliteSnapshot<T>(
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

async function loadSqliteNames(db: Db): Promise<Set<string>> {
  return new Set(await sql<string>`select name from sqlite_schema where type = 'table' order by name`.column(db))
}

async function loadSqliteTables(db: Db): Promise<StoredTable[]> {
  const names = [...(await loadSqliteNames(db))].filter(isCopied)
  return inOrderOfReferences(await Promise.all(names.map((name) => loadTable(db, name))))
}

async function loadTable(db: Db, name: string): Promise<StoredTable> {
  const found = await sql<ColumnRow>`select name, type, pk from pragma_table_info(${name})`.all(db)
  const primary = found.filter((column) => column.pk > 0).sort((one, other) => one.pk - other.pk)
  return {
    name,
    columns: found.map((column) => ({ name: column.name, type: typeOf(name, column) })),
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
