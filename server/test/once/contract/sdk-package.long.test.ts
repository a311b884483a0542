import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

const root = join(import.meta.dirname, '../../../..')
const expected = { created: true, domains: ['acme.com'], found: ['Ada of Acme'], paths: ['name'] }

/** An empty folder in which nothing is installed but the packed package. */
let app: string
let installed: string

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'kith-sdk-package-'))
  installed = join(app, 'node_modules/@kith/sdk')
  const built = join(app, 'built')
  execFileSync(process.execPath, [join(root, 'sdk/build.ts'), built], { stdio: 'pipe' })
  const npm = (...given: string[]) => execFileSync('npm', given, { cwd: app, stdio: ['ignore', 'pipe', 'pipe'] })
  npm('pack', './built', '--ignore-scripts')
  rmSync(built, { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
  const packed = readdirSync(app).find((name) => name.endsWith('.tgz'))
  npm('install', `./${packed}`, '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
  mkdirSync(join(app, 'src'))
  writeFileSync(join(app, 'src/consumer.ts'), readFileSync(join(root, 'sdk/test/consumer.ts')))
})

afterAll(() => rmSync(app, { recursive: true }))

/** The machine's own Node, as an integrator has it; ours where the machine has none that is new enough. */
function machineNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const found = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path))
  if (found === undefined) return process.execPath
  const major = Number.parseInt(execFileSync(found, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10)
  return major >= 20 ? found : process.execPath
}

/** Compiles the consumer as a project with this module resolution would, declarations of the package included. */
function compile(resolution: 'nodenext' | 'bundler'): void {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    types: [],
    strict: true,
    outDir: resolution,
    rootDir: 'src',
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '--project', app], { encoding: 'utf8' })
  } catch (error) {
    throw new Error(error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error))
  }
}

/** Runs `sync` of a module in a process of its own against a workspace of its own. */
async function run(module: string): Promise<unknown> {
  const { api } = await newWorkspace()
  const program = `
    import { sync } from ${JSON.stringify(module)}
    const [url, token] = process.argv.slice(1)
    console.log(JSON.stringify(await sync(url, token)))`
  const given = ['--input-type=module', '--eval', program, api.base.replace(/\/v1$/, ''), api.token]
  return JSON.parse(execFileSync(machineNode(), given, { cwd: app, encoding: 'utf8' }))
}

describe('the package that is published', () => {
  it('is plain ES modules with types and depends on nothing', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: '@kith/sdk',
      license: 'MIT',
      type: 'module',
      types: './client.d.ts',
      exports: { '.': { types: './client.d.ts', default: './client.js' } },
    })
    expect(Object.keys(manifest)).not.toContain('dependencies')
    expect(readdirSync(join(app, 'node_modules/@kith'))).toEqual(['sdk'])
  })

  it('names only files of its own, the README and the licence', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const others = files.map(({ name }) => name).filter((name) => !/\.(js|d\.ts)$/.test(name))
    expect(others.filter((name) => name !== 'LICENSE').sort()).toEqual(['README.md', 'package.json'])
    const strangers = files.flatMap(({ parentPath, name }) => {
      if (!/\.(js|d\.ts)$/.test(name)) return []
      const found = readFileSync(join(parentPath, name), 'utf8').matchAll(
        /^(?:import|export) [^;'"]*from '([^']+)';$/gm,
      )
      const targets = [...found].map((match) => join(parentPath, match[1] ?? ''))
      return targets.filter((target) => !existsSync(target))
    })
    expect(strangers).toEqual([])
  })

  it.each(['nodenext', 'bundler'] as const)(
    'types and serves a program that resolves modules like %s',
    async (like) => {
      compile(like)
      expect(await run(`./${like}/consumer.js`)).toEqual(expected)
    },
  )

  it('serves a program that is bundled for browsers, in one small file', async () => {
    await build({
      root: app,
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir: 'bundled',
        lib: { entry: join(app, 'src/consumer.ts'), formats: ['es'], fileName: () => 'consumer.js' },
      },
    })
    const bundle = readFileSync(join(app, 'bundled/consumer.js'), 'utf8')
    expect(bundle).not.toMatch(/^import |node:|require\(/m)
    expect(bundle.length).toBeLessThan(32 * 1024)
    expect(await run('./bundled/consumer.js')).toEqual(expected)
  })
})
