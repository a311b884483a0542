import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A checkout of Kith and the database it works on. */
export type Installation = { checkout: string; url: string }

/** The checkout that this file belongs to. */
export const thisCheckout = join(import.meta.dirname, '..')

export const SECRET = 'a secret that is only used for measuring'

/** Runs a command and returns its JSON. The benchmark uses no internals, so that it can run other versions. */
export function kith<T>({ checkout, url }: Installation, args: readonly string[], input = ''): T {
  const text = execFileSync(process.execPath, [join(checkout, 'server/src/main.ts'), ...args, '--json'], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, SECRET },
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // Each caller names the type of what its command prints.
  return JSON.parse(text) as T
}
