import { readFileSync } from 'node:fs'

/** The version in the server's package.json: `kith --version` prints it. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // npm requires this key, and version.test.ts reads it.
  return (JSON.parse(text) as { version: string }).version
}
