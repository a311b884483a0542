import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { filesFor } from '../engine.ts'
import { serverFile } from './bundle.ts'
import { freePort } from './postgres.ts'

export type Service = {
  url: string
  process: ChildProcess
  /** All that it has printed. */
  output(): string
  /** Asks it to stop, waits until it has, and tells its exit code. */
  stop(): Promise<number | null>
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const START_MS = 300_000
/** One of these is printed when the service accepts connections, whatever the level of its log. */
const LISTENING = /Kith is running|There are no accounts yet/
/**
 * Where what was compiled is kept for the next start, which then takes half as long. A process that is killed leaves
 * nothing there.
 */
export const COMPILED = join(root, 'node_modules/.cache/kith-tests')

/** What every service of the tests gets. On a busy machine a request may take longer than the defaults allow. */
export function settingsFor(port: number): Record<string, string> {
  return { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', QUERY_SECONDS: '600', REQUEST_SECONDS: '600' }
}

/**
 * Starts `kith serve` as a process of its own with this environment, and waits until it is ready. `other` is another
 * checkout, or the main file of another bundle.
 */
export async function startService(
  env: Readonly<Record<string, string>>,
  other = serverFile('main'),
): Promise<Service> {
  const main = /\.[jt]s$/.test(other) ? other : join(other, 'server/src/main.ts')
  const port = Number(env.PORT ?? (await freePort()))
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['--max-semi-space-size=8', '--heap-growing-percent=45', main, 'serve'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILED,
      ...settingsFor(port),
      ...filesFor(env.DATABASE_URL),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listening = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
      if (LISTENING.test(output)) listening.resolve()
    })
  }
  const exited = once(child, 'exit')
  const deadline = Date.now() + START_MS
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The service did not start:\n${output}`)
    // Requests to a service that is loading take processor time from it.
    await (LISTENING.test(output) ? setTimeout(25) : Promise.race([listening.promise, setTimeout(250)]))
  }
  return {
    url,
    process: child,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}
