import { expect } from 'vitest'
import { spawnKith } from './run-kith.ts'

export const SECRET = 'a secret of the tests, which is long enough'

/** What a service says that does not come up. */
export async function failedStart(env: Record<string, string>): Promise<{ code: number | null; lines: string[] }> {
  const { code, stdout, stderr } = await spawnKith(['serve'], { HOST: '127.0.0.1', PORT: '0', SECRET, ...env })
  expect(stdout).toBe('')
  return { code, lines: stderr.trimEnd().split('\n') }
}
