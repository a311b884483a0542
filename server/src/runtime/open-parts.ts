import { availableParallelism } from 'node:os'
import { type Lanes, openInlineLanes, openReplicaLanes, openThreadedLanes } from '../calls/lanes.ts'
import type { Config } from '../config.ts'
import type { Runtime } from '../scope/scope.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { type DatabaseSettings, openEngine } from '../storage/engines/open-engine.ts'
import { SharedConnections } from '../storage/engines/postgres/pooler.ts'
import { identityOf } from '../storage/engines/sqlite/file.ts'
import { migrate } from '../storage/migrations/migrate.ts'
import { executeCall } from './execute-call.ts'
import { type Spend, spendInDatabase, spendInMemory } from './rate-limit.ts'

type Parts = { engine: Engine; lanes: Lanes; spend: Spend }

/** Opens the database, migrates it, and starts what executes calls on it. */
export async function openParts(config: Config, threads: URL): Promise<Parts> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret } = config
  const opened = await openMigrated({ url, connections })
  if (isPostgres(url)) {
    return { engine: opened, lanes: await postgresLanes(opened, config), spend: spendInDatabase(opened) }
  }
  // From here on only the writer thread writes, and the file must exist.
  const file = identityOf(sqlitePath(url))
  await opened.close()
  const readersPerWorkspace = config.READER_THREADS ?? Math.max(2, availableParallelism())
  const settings = { entry: threads.href, url, secret, file, query_seconds: config.QUERY_SECONDS, readersPerWorkspace }
  return { ...openThreadedLanes(settings, executeCall), spend: spendInMemory() }
}

async function postgresLanes(
  engine: Engine,
  { DATABASE_READ_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret, QUERY_SECONDS: query_seconds }: Config,
): Promise<Lanes> {
  const primary: Runtime = { engine, secret, query_seconds, now: () => new Date() }
  if (url === undefined) return openInlineLanes({ engine, connections }, (call) => executeCall(primary, call))
  const replica = openEngine({ url, connections }, { writes: false })
  await checkReplica(replica)
  return openReplicaLanes({ primary, replica: { ...primary, engine: replica }, connections }, executeCall)
}

/** A replica may be away for a while. Behind a pooler that Kith cannot work with it would never be used. */
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
