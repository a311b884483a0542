import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type Ran = { code: number | null; stdout: string; stderr: string }

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Runs the command line as a process of its own, with this environment alone, and waits until it ends. */
export async function runKith(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { ...ran, code }
}
