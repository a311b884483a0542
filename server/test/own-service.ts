import { randomBytes } from 'node:crypto'
import type { Runtime } from '../src/scope/scope.ts'
import { testDatabase } from './engine.ts'
import { type Service, startService } from './setup/service.ts'
import { whenFileEnds } from './when-file-ends.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from './workspace.ts'

/** A service with settings of its own, on a database of its own. */
export type OwnService = {
  url: string
  runtime: Runtime
  service: Service
  /** What another process of the same installation is started with. */
  env: Readonly<Record<string, string>>
  workspace(): Promise<TestWorkspace>
  /** Stops it, takes its database away and tells its exit code. */
  stop(): Promise<number | null>
}

export async function ownService(
  settings: Readonly<Record<string, string>> = {},
  engine?: 'sqlite' | 'postgres',
): Promise<OwnService> {
  const database = await testDatabase(engine)
  const secret = randomBytes(32).toString('hex')
  const env = { DATABASE_URL: database.url, SECRET: secret, ...settings }
  const service = await startService(env)
  const runtime = runtimeAt(database.url, secret)
  let stopped = false
  const own: OwnService = {
    url: service.url,
    runtime,
    service,
    env,
    workspace: () => newWorkspace({ url: service.url, runtime }),
    async stop() {
      stopped = true
      await runtime.engine.close()
      const code = service.process.exitCode ?? (await service.stop())
      await database.drop()
      return code
    },
  }
  // A test that fails does not get to stop what it started.
  whenFileEnds(() => (stopped ? undefined : own.stop()))
  return own
}
