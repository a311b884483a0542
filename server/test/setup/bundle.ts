import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(root, 'node_modules/.cache/kith-tests/server')

/**
 * Bundles the server into a few files and tells all test workers where they are. From its source, each start of a
 * service or thread resolves and compiles a thousand modules, which takes most of its processor time.
 */
export async function bundleServer(): Promise<void> {
  if (process.env.TEST_SERVER !== undefined) return
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root,
    publicDir: false,
    plugins: [sourceAddresses],
    ssr: { noExternal: true, external: ['pg-native'] },
    build: {
      ssr: true,
      write: false,
      target: 'esnext',
      minify: false,
      rolldownOptions: {
        input: ['server/src/main.ts', 'server/src/runtime/thread-entry.ts'].map((path) => join(root, path)),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  })
  for (const { output } of [built].flat().filter((result) => 'output' in result)) {
    for (const file of output) {
      replaceIfChanged(join(FOLDER, file.fileName), file.type === 'chunk' ? file.code : file.source)
    }
  }
  process.env.TEST_SERVER = FOLDER
}

/** The file of the bundle, or of the source in a process without one. */
export function serverFile(name: 'main' | 'thread-entry'): string {
  const { TEST_SERVER } = process.env
  if (TEST_SERVER !== undefined) return join(TEST_SERVER, `${name}.js`)
  return join(root, 'server/src', name === 'main' ? 'main.ts' : 'runtime/thread-entry.ts')
}

/** Files next to the source are found from there. Threads start from the bundle. */
const sourceAddresses: Plugin = {
  name: 'source-addresses',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(join(root, 'server/src'))) return
    if (id.endsWith('runtime/serve.ts')) return code.replace('./thread-entry.ts', './thread-entry.js')
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id)))
  },
}

/** Other runs of the same code may use the files at this moment. */
function replaceIfChanged(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, content)
  renameSync(`${path}.${process.pid}`, path)
}
