import { pathToFileURL } from 'node:url'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/runtime/serve.ts'
import { filesFor } from '../engine.ts'
import { serverFile } from './bundle.ts'
import { freePort } from './postgres.ts'
import { settingsFor } from './service.ts'

export type Serving = { url: string; output(): string; stop(): Promise<unknown> }

/**
 * Starts the service in this process, where its code is loaded already. A process of its own takes seconds of a
 * processor to start. It logs nothing.
 */
export async function serveHere(env: Readonly<Record<string, string>>): Promise<Serving> {
  const port = Number(env.PORT ?? (await freePort()))
  const config = readConfig({ ...settingsFor(port), LOG_LEVEL: 'silent', ...filesFor(env.DATABASE_URL), ...env })
  const [listening, stopping] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const threads = pathToFileURL(serverFile('thread-entry'))
  const untilStopped = () => stopping.promise
  const ended = serve(config, { print: listening.resolve, untilStopped, threads, program: 'npx kith' })
  const printed = await Promise.race([listening.promise, ended])
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => String(printed),
    async stop() {
      stopping.resolve('test')
      await ended
    },
  }
}
