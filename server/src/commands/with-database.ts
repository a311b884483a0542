import type { Config } from '../config.ts'
import type { Runtime } from '../scope/scope.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { SqliteSettings } from '../storage/engines/sqlite/sqlite.ts'
import { migrate } from '../storage/migrations/migrate.ts'
import type { Ground } from './command.ts'
import { Failure, messageOf } from './failure.ts'

/** Opens the database at this version, migrating it where needed, for as long as the work takes. */
export function withDatabase<T>(ground: Ground, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  return withUnmigrated(ground, async (engine) => {
    await asOpening(ground.config, () => migrate(engine, ground.now()))
    return work({ engine, secret: ground.config.SECRET, now: ground.now })
  })
}

/** Likewise, but leaves the tables as they are. */
export function withUnmigrated<T>(ground: Ground, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withEngine(ground, { writes: true, create: ground.creates }, work)
}

/** Likewise, and makes no database where there is none. */
export function withReader<T>(ground: Ground, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withEngine(ground, { writes: false }, work)
}

async function withEngine<T>(ground: Ground, sqlite: SqliteSettings, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections } = ground.config
  const engine = await asOpening(ground.config, async () => {
    const opened = openEngine({ url, connections }, sqlite)
    await opened.ping()
    return opened
  })
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** Until it is open, whatever goes wrong is about reaching the database, and the person can do something about it. */
export async function asOpening<T>({ DATABASE_URL: url }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Failure(`The database ${shownAddress(url)} could not be opened: ${messageOf(error)}`)
  }
}

/** The address without the password in it. */
function shownAddress(url: string): string {
  if (!isPostgres(url)) return sqlitePath(url)
  const parts = URL.parse(url)
  return parts === null ? 'server' : `${parts.hostname}${parts.pathname}`
}
