import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Engine } from '../src/storage/engines/engine.ts'
import { openEngine } from '../src/storage/engines/open-engine.ts'
import { migrate } from '../src/storage/migrations/migrate.ts'

/** An empty database of one's own, of the kind that TEST_ENGINE names (`sqlite` unless told otherwise). */
export type TestDatabase = { url: string; drop(): Promise<void> }

export function testDatabase(engine = process.env.TEST_ENGINE): Promise<TestDatabase> {
  return engine === 'postgres' ? postgresDatabase() : sqliteDatabase()
}

/**
 * One that a service starts on without migrating it. Migrating PostgreSQL takes a second of a processor, a copy a
 * tenth of it. With SQLite it takes no time, so this one is empty.
 */
export function migratedDatabase(engine = process.env.TEST_ENGINE): Promise<TestDatabase> {
  return engine === 'postgres' ? postgresDatabase(process.env.TEST_TEMPLATE) : sqliteDatabase()
}

/** Makes the database that the others are copies of. The long run also tests one with partitions. */
export async function makeTemplate(partitions?: string): Promise<TestDatabase> {
  const database = await postgresDatabase()
  const engine = openEngine({ url: database.url, connections: 2 }, { writes: true })
  await migrate(engine, new Date(), undefined, partitions === undefined ? undefined : Number(partitions))
  await engine.close()
  process.env.TEST_TEMPLATE = new URL(database.url).pathname.slice(1)
  return database
}

/** An engine at this version on a database of its own, which goes when the engine is closed. */
export async function testEngine(): Promise<Engine> {
  const database = await migratedDatabase()
  const engine = openEngine({ url: database.url, connections: 10 }, { writes: true })
  await migrate(engine, new Date())
  const close = async () => {
    await engine.close()
    await database.drop()
  }
  return { ...engine, close }
}

const MEMORY_FOLDER = '/dev/shm'
const MEMORY_BYTES = 2 * 1024 ** 3

/**
 * Memory where the system offers enough of it: every commit waits until the file is synced, which takes milliseconds on
 * a disk.
 */
function fastFolder(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize > MEMORY_BYTES ? MEMORY_FOLDER : tmpdir()
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(fastFolder(), 'kith-test-'))
  const drop = async () => rmSync(folder, { recursive: true })
  return { url: `file:${join(folder, 'kith.db')}`, drop }
}

async function postgresDatabase(template = 'template1'): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (server === undefined) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server for the tests.')
  const name = `kith_test_${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const drop = async () => {
    await onServer(server, `drop database ${name} with (force)`)
    rmSync(filesFolder(url.href), { recursive: true, force: true })
  }
  return { url: url.href, drop }
}

/** The files of a database on a server. Those of another one are next to it. */
function filesFolder(url: string): string {
  // Several hosts with ports are no URL.
  return join(fastFolder(), /\/([^/?]+)(\?|$)/.exec(url)?.[1] ?? '')
}

/** The settings for files of a service or a command on a database. */
export function filesFor(url: string | undefined): Record<string, string> {
  return url?.startsWith('postgres') ? { FILES_URL: `file:${filesFolder(url)}` } : {}
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
