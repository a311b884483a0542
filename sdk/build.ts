import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'

const here = import.meta.dirname
const out = resolve(process.argv[2] ?? join(here, 'dist'))

/**
 * Makes the package that is published: plain ES modules and their types, the part of the contract that they use among
 * them, so that it depends on nothing. It is put where the first argument says, in `dist` unless there is one.
 */
function build(): void {
  rmSync(out, { recursive: true, force: true })
  const emitted = mkdtempSync(join(tmpdir(), 'kith-sdk-'))
  try {
    compile(emitted)
    cpSync(join(emitted, 'sdk/src'), out, { recursive: true })
    cpSync(join(emitted, 'contract/src'), join(out, 'contract'), { recursive: true })
  } finally {
    rmSync(emitted, { recursive: true })
  }
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (/\.(js|d\.ts)$/.test(name)) pointIntoPackage(join(out, name))
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  cpSync(join(here, 'README.md'), join(out, 'README.md'))
  const license = join(here, '../LICENSE')
  if (existsSync(license)) cpSync(license, join(out, 'LICENSE'))
}

function compile(to: string): void {
  const tsc = join(here, '../node_modules/typescript/bin/tsc')
  const project = join(here, 'tsconfig.build.json')
  execFileSync(process.execPath, [tsc, '--project', project, '--outDir', to], { stdio: 'inherit' })
}

/** The compiler leaves the names of other packages alone, and in declarations the extensions of files, too. */
function pointIntoPackage(file: string): void {
  const up = relative(join(file, '..'), out).split(sep).join('/') || '.'
  const text = readFileSync(file, 'utf8')
    .replaceAll(/((?:from |import\()['"])@kith\/contract\/([^'"]+)/g, `$1${up}/contract/$2.js`)
    .replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js')
  writeFileSync(file, text)
}

/** The workspace's own, with doors that lead to what was built. */
function manifest(): object {
  const {
    exports: doors,
    dependencies: _,
    devDependencies: __,
    scripts: ___,
    ...others
  } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const built = Object.entries<string>(doors).map(([door, source]) => {
    const path = source.replace(/^\.\/src\/(.+)\.ts$/, './$1')
    return [door, { types: `${path}.d.ts`, default: `${path}.js` }]
  })
  return { ...others, types: './client.d.ts', exports: Object.fromEntries(built) }
}

build()
