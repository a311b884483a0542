import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'vite'
import { BUNDLE, isBundleFresh } from '../server/bin/bundle-age.js'

const root = join(import.meta.dirname, '..')
const source = join(root, 'server/src')
const inputs = ['server/src/main.ts', 'server/src/runtime/thread-entry.ts']

/**
 * Bundles the server and its packages into a few files, unless that is done. From its source, each start of a process
 * or thread resolves and compiles a thousand modules, which takes most of its processor time.
 */
export async function bundleServer(): Promise<void> {
  if (isBundleFresh()) return
  const begun = new Date()
  await bundleInto(BUNDLE)
  // What changes while this runs makes the bundle old again.
  utimesSync(join(BUNDLE, 'main.js'), begun, begun)
}

/** Writes a bundle into a folder. Tests change some of the source. */
export async function bundleInto(folder: string, changed: readonly Plugin[] = []): Promise<void> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root,
    publicDir: false,
    plugins: [...changed, sourceAddresses(folder)],
    ssr: { noExternal: true, external: ['pg-native'] },
    build: {
      ssr: true,
      write: false,
      target: 'esnext',
      minify: false,
      rolldownOptions: {
        input: inputs.map((path) => join(root, path)),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          // A group takes the imports of its files, too. Otherwise each thread loads sixty files: half the time more.
          codeSplitting: {
            groups: [
              { name: 'command-line', test: /server[\\/]src[\\/]commands[\\/]run-command\.ts/ },
              { name: 'storage', test: /server[\\/]src[\\/]storage[\\/]engines[\\/]open-engine\.ts/ },
              { name: 'calls', test: /server[\\/]src[\\/]runtime[\\/]execute-call\.ts/ },
            ],
          },
        },
      },
    },
  })
  const files = [built].flat().flatMap((result) => ('output' in result ? result.output : []))
  mkdirSync(folder, { recursive: true })
  for (const file of files) {
    replaceIfChanged(join(folder, file.fileName), file.type === 'chunk' ? file.code : file.source)
  }
  const names = new Set(files.map(({ fileName }) => fileName))
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name), { recursive: true })
}

/** Files next to the source are found from where it would be. Threads start from the bundle. */
function sourceAddresses(folder: string): Plugin {
  return {
    name: 'source-addresses',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(source)) return
      const address = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`
      return code
        .replaceAll('import.meta.url', address)
        .replace(/new URL\('\.\/thread-entry\.ts', .*?\.href\)/, `new URL('./thread-entry.js', import.meta.url)`)
    },
  }
}

/** Other processes may use the files at this moment. */
function replaceIfChanged(path: string, content: string | Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  writeFileSync(`${path}.${process.pid}`, content)
  renameSync(`${path}.${process.pid}`, path)
}
