import { randomBytes } from 'node:crypto'
import type { Runtime } from '../src/scope/scope.ts'
import { migratedDatabase, type TestDatabase } from './engine.ts'
import { type Serving, serveHere } from './setup/serve-here.ts'
import { type Service, startService } from './setup/service.ts'
import { whenFileEnds } from './when-file-ends.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from './workspace.ts'

/** A service with settings of its own, on a database of its own. */
export type OwnService<Started extends Serving = Serving> = {
  url: string
  runtime: Runtime
  service: Started
  /** What another process of the same installation is started with. */
  env: Readonly<Record<string, string>>
  workspace(): Promise<TestWorkspace>
  /** Stops it, takes its database away and gives the exit code of a process. */
  stop(): Promise<unknown>
}

/** One that runs as a process. */
export type OwnProcess = OwnService<Service>

type Settings = Readonly<Record<string, string>>

/** In the process of the test, for all that is not about the process, its log or its threads. */
export async function ownService(settings: Settings = {}, engine?: 'sqlite' | 'postgres'): Promise<OwnService> {
  return own(await migratedDatabase(engine), settings, serveHere)
}

export async function ownProcess(settings: Settings = {}): Promise<OwnProcess> {
  return own(await migratedDatabase(), settings, startService)
}

async function own<Started extends Serving>(
  database: TestDatabase,
  settings: Settings,
  start: (env: Settings) => Promise<Started>,
): Promise<OwnService<Started>> {
  const secret = randomBytes(32).toString('hex')
  const env = { DATABASE_URL: database.url, SECRET: secret, ...settings }
  const service = await start(env)
  const runtime = runtimeAt(database.url, secret)
  let stopped = false
  const own: OwnService<Started> = {
    url: service.url,
    runtime,
    service,
    env,
    workspace: () => newWorkspace({ url: service.url, runtime }),
    async stop() {
      stopped = true
      await runtime.engine.close()
      const code = await service.stop()
      await database.drop()
      return code
    },
  }
  // A test that fails does not get to stop what it started.
  whenFileEnds(() => (stopped ? undefined : own.stop()))
  return own
}
