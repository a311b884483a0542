import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChromium } from '../../../../web/test/setup/chromium.ts'
import { ownService } from '../../own-service.ts'
import { isLong } from '../../run-length.ts'
import { newWorkspace } from '../../workspace.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
/** What `npm run test:install -- --long` has installed. */
const tools = join(root, '.cache/test-tools')
const expected = { created: true, domains: ['acme.com'], found: ['Ada of Acme'], paths: ['name'] }
const repository = 'https://code.example.com/kith/kith'

/** An empty folder in which nothing is installed but the packed package. */
let app: string
let installed: string
let packed: string

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'kith-sdk-package-'))
  installed = join(app, 'node_modules/@kith/sdk')
  const built = join(app, 'built')
  const env = { ...process.env, PUBLIC_REPOSITORY: repository }
  execFileSync(process.execPath, [join(root, 'sdk/build.ts'), built], { stdio: 'pipe', env })
  const npm = (...given: string[]) => execFileSync('npm', given, { cwd: app, stdio: ['ignore', 'pipe', 'pipe'] })
  npm('pack', './built', '--ignore-scripts')
  rmSync(built, { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
  packed = readdirSync(app).find((name) => name.endsWith('.tgz')) ?? ''
  npm('install', `./${packed}`, '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
  mkdirSync(join(app, 'src'))
  writeFileSync(join(app, 'src/consumer.ts'), readFileSync(join(root, 'sdk/test/consumer.ts')))
  writeFileSync(join(app, 'src/exact.ts'), exact)
})

afterAll(() => rmSync(app, { recursive: true }))

/** Compiled with `exactOptionalPropertyTypes`. */
const exact = `
import { createClient } from '@kith/sdk'

const kith = createClient({ url: '', token: '' })
// @ts-expect-error A condition would be dropped, and the list would have all records.
kith.people.list({ filter: { name: undefined } })
`

/** Node of each version that the package supports, where this machine has it. */
function nodeOf(major: number): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const system = process.platform === 'win32' ? 'win' : process.platform
  const downloaded = join(tools, `node_modules/node-${system}-${process.arch}/bin/node`)
  return [process.execPath, ...onPath, downloaded].find((path) => {
    if (!existsSync(path)) return false
    return execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith(`v${major}.`)
  })
}

/** Compiles the consumer as a project with this module resolution would, declarations of the package included. */
async function compile(resolution: 'nodenext' | 'bundler'): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    outDir: resolution,
    rootDir: 'src',
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  const told = await run(process.execPath, [tsc, '--project', app]).catch((error: { stdout: string }) => error)
  expect(told.stdout).toBe('')
}

/** Runs `sync` of a module in a process of its own against a workspace of its own. */
async function runWith(node: string, module: string): Promise<unknown> {
  const { api } = await newWorkspace()
  const program = `
    import { sync } from ${JSON.stringify(module)}
    const [url, token] = process.argv.slice(1)
    console.log(JSON.stringify(await sync(url, token)))`
  const given = ['--input-type=module', '--eval', program, api.base.replace(/\/v1$/, ''), api.token]
  return JSON.parse((await run(node, given, { cwd: app })).stdout)
}

/** Bundles the consumer for browsers, and returns the text of the only file. */
async function bundled(): Promise<string> {
  await build({
    root: app,
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: 'bundled',
      lib: { entry: join(app, 'src/consumer.ts'), formats: ['es'], fileName: () => 'consumer.js' },
    },
  })
  return readFileSync(join(app, 'bundled/consumer.js'), 'utf8')
}

describe('the package that is published', () => {
  it('is plain ES modules with types, depends on nothing, and says where it comes from', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: '@kith/sdk',
      license: 'MIT',
      type: 'module',
      types: './client.d.ts',
      exports: { '.': { types: './client.d.ts', default: './client.js' }, './package.json': './package.json' },
      repository: { type: 'git', url: `git+${repository}.git`, directory: 'sdk' },
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      publishConfig: { access: 'public' },
    })
    for (const absent of ['dependencies', 'private', 'scripts']) expect(Object.keys(manifest)).not.toContain(absent)
    expect(readdirSync(join(app, 'node_modules/@kith'))).toEqual(['sdk'])
  })

  it('cannot be published by mistake: without a repository it stays private', () => {
    const built = join(app, 'unnamed')
    const { PUBLIC_REPOSITORY: _, ...env } = process.env
    execFileSync(process.execPath, [join(root, 'sdk/build.ts'), built], { stdio: 'pipe', env })
    const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
    expect(manifest.private).toBe(true)
    expect(manifest).not.toHaveProperty('repository')
  })

  it('names only files of its own, the README and the licence', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const others = files.map(({ name }) => name).filter((name) => !/\.(js|d\.ts)$/.test(name))
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    const strangers = files.flatMap(({ parentPath, name }) => {
      if (!/\.(js|d\.ts)$/.test(name)) return []
      const found = readFileSync(join(parentPath, name), 'utf8').matchAll(
        /^(?:import|export) [^;'"]*from '([^']+)';$/gm,
      )
      const end = name.endsWith('.d.ts') ? '.d.ts' : '.js'
      const targets = [...found].map(([, target = '']) => join(parentPath, target.replace(/\.js$/, end)))
      return targets.filter((target) => !existsSync(target))
    })
    expect(strangers).toEqual([])
  })

  it.runIf(isLong)('types a program that resolves modules like Node, and serves it on every version', async () => {
    await compile('nodenext')
    const missing: number[] = []
    for (const major of [20, 22, 26]) {
      const node = nodeOf(major)
      if (node === undefined) missing.push(major)
      else expect(await runWith(node, './nodenext/consumer.js'), `Node ${major}`).toEqual(expected)
    }
    expect(missing, 'This machine does not have these. Run npm run test:install -- --long.').toEqual([])
  })

  it.runIf(isLong)('types and serves a program that resolves modules like a bundler', async () => {
    await compile('bundler')
    expect(await runWith(process.execPath, './bundler/consumer.js')).toEqual(expected)
  })

  it.runIf(isLong)('is bundled for browsers into one small file, which works in a page of another origin', async () => {
    const bundle = await bundled()
    expect(bundle).not.toMatch(/^import |node:|require\(/m)
    expect(bundle.length).toBeLessThan(40 * 1024)
    expect(await runWith(process.execPath, './bundled/consumer.js')).toEqual(expected)
    const own = await ownService({ CORS_ORIGINS: '*' })
    const { api } = await own.workspace()
    const browser = await startChromium()
    try {
      const page = await browser.newPage()
      const imported = `import(${JSON.stringify(`data:text/javascript,${encodeURIComponent(bundle)}`)})`
      const given = [own.url, api.token].map((text) => JSON.stringify(text)).join()
      expect(await page.evaluate(`${imported}.then(({ sync }) => sync(${given}))`)).toEqual(expected)
    } finally {
      await browser.close()
      await own.stop()
    }
  })

  it.runIf(isLong)('passes the checks of others: types by attw, the manifest by publint', async () => {
    const check = (tool: string, ...given: string[]) =>
      run(process.execPath, [join(tools, 'node_modules', tool), join(app, packed), ...given])
    const types = check('@arethetypeswrong/cli/dist/index.js', '--profile', 'esm-only', '--no-emoji', '--no-color')
    await expect(types, 'npm run test:install -- --long installs it').resolves.toMatchObject({ stderr: '' })
    await expect(check('publint/src/cli.js', '--strict')).resolves.toMatchObject({ stderr: '' })
  })
})
