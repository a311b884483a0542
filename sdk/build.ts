import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'

const here = import.meta.dirname
const out = resolve(process.argv[2] ?? join(here, 'dist'))

/**
 * Makes the package that is published: plain ES modules and their types, the part of the contract that they use among
 * them, so that it depends on nothing. It is put where the first argument says, in `dist` unless there is one.
 * `PUBLIC_REPOSITORY` is the address of the repository that the package names. Without it, npm refuses to publish it.
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
  for (const extension of ['.js', '.d.ts']) removeUnused(extension)
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

/** The compiler also emits what only types refer to, such as field types with their libraries. */
function removeUnused(extension: string): void {
  const used = new Set<string>()
  const visit = (file: string) => {
    if (used.has(file)) return
    used.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      visit(join(file, '..', name + extension))
    }
  }
  visit(join(out, `client${extension}`))
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith(extension) && !used.has(join(out, name))) rmSync(join(out, name))
  }
}

/** The workspace's own, with doors that lead to what was built. */
function manifest(): object {
  const {
    exports: doors,
    dependencies: _,
    devDependencies: __,
    scripts: ___,
    private: ____,
    ...others
  } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const built = Object.entries<string>(doors).map(([door, source]) => {
    const path = source.replace(/^\.\/src\/(.+)\.ts$/, './$1')
    return [door, { types: `${path}.d.ts`, default: `${path}.js` }]
  })
  const exports = { ...Object.fromEntries(built), './package.json': './package.json' }
  return { ...others, ...origin(), types: './client.d.ts', exports }
}

function origin(): object {
  const { PUBLIC_REPOSITORY: repository } = process.env
  if (!repository) return { private: true }
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory: 'sdk' },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    publishConfig: { access: 'public' },
  }
}

build()
