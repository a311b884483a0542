import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import { shippedPackages } from './licences.ts'

const root = join(import.meta.dirname, '..')

/** What a release holds besides the program, Node and the licences. All paths are as in the repository. */
const PARTS = [
  'server/dist',
  'server/reference',
  'web/dist',
  'deploy',
  '.env.example',
  'LICENSE',
  'CHANGELOG.md',
  'docs/operate',
]

/** Only `npm run release` and the image build it, so that `npm ci` takes less time. */
const GUIDE = 'docs/dist'

/** Lays out a release in an empty folder: the service with its packages, the built application and its own Node. */
export async function layOutRelease(folder: string): Promise<void> {
  await bundleServer()
  if (!existsSync(join(root, 'web/dist/index.html'))) throw new Error('Build the application first: npm run build.')
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty.`)
  const parts = existsSync(join(root, GUIDE)) ? [...PARTS, GUIDE] : PARTS
  for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true })
  const manifest = createRequire(import.meta.url).resolve('node/package.json')
  copyFileSync(join(dirname(manifest), 'bin/node'), join(folder, 'node'))
  copyFileSync(join(root, 'deploy/kith'), join(folder, 'kith'))
  for (const program of ['node', 'kith']) chmodSync(join(folder, program), 0o755)
  // The bundle is a module, whatever is above the folder.
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name: 'kith', version, type: 'module' })}\n`)
  writeFileSync(join(folder, 'LICENCES.txt'), licenceTexts())
}

/** Packs a folder into an archive next to it. Returns the path. */
export function packRelease(folder: string): string {
  const archive = `${folder}.tar.gz`
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  execFileSync('tar', ['-czf', archive, ...owner, '-C', dirname(folder), basename(folder)], { stdio: 'inherit' })
  return archive
}

const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The licences of everything inside, which most of them ask for. */
function licenceTexts(): string {
  const texts = shippedPackages().map(({ name, version, licence }) => {
    const folder = join(root, 'node_modules', name)
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file)) : []
    const text = files.slice(0, 1).map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`${name} ${version} (${licence})`, ...text].join('\n\n')
  })
  const node = 'Node.js (MIT and others): https://github.com/nodejs/node/blob/main/LICENSE'
  return `${[node, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

if (import.meta.main) {
  const [given] = process.argv.slice(2)
  const folder = given ?? join(root, 'release', `kith-${version}-${process.platform}-${process.arch}`)
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
  await layOutRelease(folder)
  const made = given === undefined ? packRelease(folder) : folder
  const { size } = statSync(made)
  console.log(given === undefined ? `${made}: ${(size / 1e6).toFixed(1)} MB` : made)
}
