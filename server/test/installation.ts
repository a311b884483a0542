import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migratedDatabase, type TestDatabase } from './engine.ts'
import { type Ran, runKith } from './run-kith.ts'
import { type Serving, serveHere } from './setup/serve-here.ts'
import { type Service, startService } from './setup/service.ts'
import { whenFileEnds } from './when-file-ends.ts'

/** One installation: a database, a secret, and a service while it runs. */
export type Installation = {
  database: TestDatabase
  env: Readonly<Record<string, string>>
  start(settings?: Readonly<Record<string, string>>): Promise<Service>
  /** Starts the service in the process of the test. */
  serve(settings?: Readonly<Record<string, string>>): Promise<Serving>
  kith(...args: string[]): Promise<Ran>
}

const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0', RATE_LIMIT_ITEMS: '0' }

/** A database without users on one of the engines, with a secret that moves along. */
export async function installation(
  engine = process.env.TEST_ENGINE,
  secret = newSecret(),
  create = migratedDatabase,
): Promise<Installation> {
  const database = await create(engine)
  whenFileEnds(database.drop)
  const env = { DATABASE_URL: database.url, SECRET: secret, ...noLimits }
  return {
    database,
    env,
    async start(settings = {}) {
      const service = await startService({ ...env, ...settings })
      whenFileEnds(async () => {
        if (service.process.exitCode === null && service.process.signalCode === null) await service.stop()
      })
      return service
    },
    async serve(settings = {}) {
      const service = await serveHere({ ...env, ...settings })
      whenFileEnds(service.stop)
      return service
    },
    kith: (...args) => runKith(args, env),
  }
}

export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** A folder of one's own, gone when the tests are done. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kith-backup-'))
  whenFileEnds(() => rmSync(folder, { recursive: true }))
  return folder
}
