import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const BUILT = join(root, 'web/dist/index.html')
/** What the build reads. A folder changes when a file in it is added or removed. */
const SOURCES = [
  'package-lock.json',
  'web/{index.html,package.json,vite.config.ts}',
  '{web,contract,sdk}/{src,public}',
  '{web,contract,sdk}/{src,public}/**',
]

/** `npm ci` has built the application already. */
export async function buildIfChanged(): Promise<void> {
  const changed = Math.max(...globSync(SOURCES, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs))
  if (existsSync(BUILT) && statSync(BUILT).mtimeMs > changed) return
  const { NODE_ENV } = process.env
  // With the `test` of the test runner, React would be built for its developers: larger and many times slower.
  process.env.NODE_ENV = 'production'
  await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'error' })
  process.env.NODE_ENV = NODE_ENV
}
