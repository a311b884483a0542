import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleServer as bundle } from '../../../scripts/bundle-server.ts'
import { BUNDLE } from '../../bin/bundle-age.js'

const source = fileURLToPath(new URL('../../src', import.meta.url))

/** Bundles the server if it has changed, and tells all test workers where it is. */
export async function bundleServer(): Promise<void> {
  if (process.env.TEST_SERVER !== undefined) return
  await bundle()
  process.env.TEST_SERVER = BUNDLE
}

/** The file of the bundle, or of the source in a process without one. */
export function serverFile(name: 'main' | 'thread-entry'): string {
  const { TEST_SERVER } = process.env
  if (TEST_SERVER !== undefined) return join(TEST_SERVER, `${name}.js`)
  return join(source, name === 'main' ? 'main.ts' : 'runtime/thread-entry.ts')
}
