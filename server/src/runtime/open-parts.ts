import { availableParallelism } from 'node:os'
import { type Lanes, openInlineLanes, openReplicaLanes, openThreadedLanes } from '../calls/lanes.ts'
import type { Config } from '../config.ts'
import type { ContentStore } from '../contents/content-store.ts'
import { type Spend, spendInDatabase, spendInMemory } from '../limits/rate-limit.ts'
import type { Runtime } from '../scope/scope.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { type DatabaseSettings, openEngine } from '../storage/engines/open-engine.ts'
import { SharedConnections } from '../storage/engines/postgres/hosts.ts'
import { identityOf } from '../storage/engines/sqlite/file.ts'
import { lastOf, migrate } from '../storage/migrations/migrate.ts'
import { executeCall } from './execute-call.ts'

/** Opens the database, migrates it, and starts the lanes that execute calls. */
export async function openParts(
  config: Config,
  threads: URL,
  store: ContentStore,
): Promise<{ engine: Engine; lanes: Lanes; spend: Spend }> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret } = config
  const opened = await openMigrated({ url, connections })
  if (isPostgres(url)) {
    return { engine: opened, lanes: await postgresLanes(opened, config, store), spend: spendInDatabase(opened) }
  }
  // From here on only the writer thread writes, and the file must exist.
  const file = identityOf(sqlitePath(url))
  await opened.close()
  const readersPerWorkspace = config.READER_THREADS ?? Math.max(2, availableParallelism())
  const { FILES_URL, S3_ACCESS_KEY, S3_SECRET_KEY, QUERY_SECONDS: query_seconds } = config
  const files = { FILES_URL, S3_ACCESS_KEY, S3_SECRET_KEY, DATABASE_URL: url }
  const opening = { entry: threads.href, url, secret, file, migration: lastOf() }
  const settings = { ...opening, query_seconds, files, readersPerWorkspace }
  return { ...openThreadedLanes(settings, executeCall), spend: spendInMemory() }
}

async function postgresLanes(
  engine: Engine,
  { DATABASE_READ_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret, QUERY_SECONDS: query_seconds }: Config,
  { open: openContent }: ContentStore,
): Promise<Lanes> {
  const primary: Runtime = { engine, secret, query_seconds, openContent, now: () => new Date() }
  if (url === undefined) return openInlineLanes({ engine, connections }, (call) => executeCall(primary, call))
  const replica = openEngine({ url, connections }, { writes: false })
  await checkReplica(replica)
  return openReplicaLanes({ primary, replica: { ...primary, engine: replica }, connections }, executeCall)
}

/** A replica may be unavailable for a while. Behind an unsupported pooler it would never be used. */
async function checkReplica(replica: Engine): Promise<void> {
  try {
    await replica.checkServer()
  } catch (error) {
    if (error instanceof SharedConnections) throw new Error(`DATABASE_READ_URL: ${error.message}`)
  }
}

async function openMigrated(settings: DatabaseSettings): Promise<Engine> {
  const engine = openEngine(settings, { writes: true })
  try {
    await engine.checkServer()
    await migrate(engine, new Date())
    return engine
  } catch (error) {
    // Open connections would keep the process alive.
    await engine.close()
    throw error
  }
}
