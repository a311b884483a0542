import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { runCommand } from '../src/commands/run-command.ts'
import { filesFor } from './engine.ts'
import { serverFile } from './setup/bundle.ts'
import { COMPILED } from './setup/service.ts'

export type Ran = { code: number | null; stdout: string; stderr: string }

/** A test that reads what a command prints while it runs passes this in. */
export const notRun = (): Ran => ({ code: null, stdout: '', stderr: '' })

type Env = Readonly<Record<string, string>>

/**
 * Runs a command with this environment alone, in this process: a process of its own takes half a second of a processor
 * to start.
 */
export async function runKith(
  args: readonly string[],
  env: Env,
  more: {
    input?: string | Uint8Array
    columns?: number | undefined
    isInteractive?: boolean
    ending?: AbortSignal
    ran?: Ran
  } = {},
): Promise<Ran> {
  const { input = '', columns, isInteractive = false, ending = new AbortController().signal, ran = notRun() } = more
  ran.code = await runCommand(args, {
    environment: () => ({ ...filesFor(env.DATABASE_URL), ...env }),
    printError(text) {
      ran.stderr += text
    },
    async write(text) {
      ran.stdout += text
    },
    isInteractive,
    columns,
    readInput: async () => new Uint8Array(typeof input === 'string' ? Buffer.from(input) : input),
    ending: () => ending,
    serve: () => Promise.reject(new Error('The service runs in a process of its own.')),
  })
  return ran
}

/** Runs the command line as a process of its own, for tests that are about the process. */
export async function spawnKith(
  args: readonly string[],
  env: Env,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const child = spawn(process.execPath, [serverFile('main'), ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...filesFor(env.DATABASE_URL), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = notRun()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text
    })
  }
  started(child)
  const [code] = await once(child, 'close')
  return { ...ran, code }
}
