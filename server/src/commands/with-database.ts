import { enterAsOperator } from '../accounts/workspace.ts'
import type { Config } from '../config.ts'
import type { ContentStore } from '../contents/content-store.ts'
import { openStore } from '../contents/open-store.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { SqliteSettings } from '../storage/engines/sqlite/sqlite.ts'
import { DatabaseBusy } from '../storage/engines/storage-trouble.ts'
import { migrate } from '../storage/migrations/migrate.ts'
import { type Context, Failure, messageOf } from './command.ts'

/** Opens the database for the work and migrates it first if needed. */
export function withDatabase<T>(context: Context, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  return withUnmigrated(context, async (engine) => {
    await asOpening(context.config, () => migrate(engine, context.now()))
    return work({ engine, secret: context.config.SECRET, now: context.now })
  })
}

/** Runs the work in a workspace, as its owner. */
export function withWorkspace<T>(context: Context, slug: string, work: (scope: Scope) => Promise<T>): Promise<T> {
  return withDatabase(context, async (runtime) => work(await enterAsOperator(runtime, slug)))
}

/** Opens the database without migrating it. */
export function withUnmigrated<T>(context: Context, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withEngine(context, { writes: true, create: context.creates }, work)
}

/** Opens the database for reading, and does not create it. */
export function withReader<T>(context: ConfiguredContext, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withEngine(context, { writes: false }, work)
}

type ConfiguredContext = Pick<Context, 'config'>

async function withEngine<T>(
  context: ConfiguredContext,
  sqlite: SqliteSettings,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections } = context.config
  const engine = await asOpening(context.config, async () => {
    const opened = openEngine({ url, connections }, sqlite)
    await opened.ping()
    await opened.checkServer()
    return opened
  })
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** Where the contents of files are. */
export function storeOf({ config, tell }: Pick<Context, 'config' | 'tell'>): ContentStore {
  return openStore(config, (error) => tell(String(error)))
}

/** Reports every error as a failure to open the database, with advice for the user. */
export async function asOpening<T>({ DATABASE_URL: url }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DatabaseBusy) throw error
    throw new Failure(`The database ${shownAddress(url)} could not be opened: ${messageOf(error)}`)
  }
}

/** The address without the password in it. */
export function shownAddress(url: string): string {
  if (!isPostgres(url)) return sqlitePath(url)
  // Several hosts with ports are not a valid URL.
  const [, hosts, path] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(url) ?? []
  return hosts === undefined ? 'server' : `${hosts.replace(/:\d+/g, '')}${path}`
}
