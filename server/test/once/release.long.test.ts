import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { layOutRelease, packRelease } from '../../../scripts/release.ts'
import { freePort } from '../setup/postgres.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const PACKED_MAX_BYTES = 80e6

let folder: string
let home: string
let env: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kith-release-'))
  home = join(folder, 'opt')
  // All that the program needs from the system. There is no npm and no other Node.
  const bin = join(folder, 'bin')
  for (const path of [bin, join(home, 'releases')]) mkdirSync(path, { recursive: true })
  for (const name of ['sh', 'dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(bin, name))
  const port = String(await freePort())
  env = { PATH: bin, HOST: '127.0.0.1', PORT: port, APP_URL: `http://127.0.0.1:${port}` }
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Points `current` to a release, as an upgrade does. */
function use(release: string): void {
  symlinkSync(join('releases', release), join(home, 'next'))
  renameSync(join(home, 'next'), join(home, 'current'))
}

const program = () => join(home, 'current', 'kith')

const kith = (...args: string[]) => execFileSync(program(), args, { cwd: home, env, encoding: 'utf8' }).trim()

async function start() {
  const child = spawn(program(), ['serve'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const isReady = () =>
    fetch(`${env.APP_URL}/readyz`).then(
      ({ ok }) => ok || child.exitCode !== null,
      () => child.exitCode !== null,
    )
  await expect.poll(isReady).toBe(true)
  expect(child.exitCode, output).toBeNull()
  const exited = once(child, 'exit')
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
}

/** A release has the guide if it was built. */
function writeGuide(release: string): void {
  const folder = join(home, 'releases', release, 'docs/dist')
  mkdirSync(folder, { recursive: true })
  for (const name of ['index', '404']) writeFileSync(join(folder, `${name}.html`), `<h1>${name} of the guide</h1>`)
}

const textAt = async (path: string, init?: RequestInit) => (await fetch(`${env.APP_URL}${path}`, init)).text()

test('a release runs where it is unpacked, without npm, and is upgraded and rolled back by a link', {
  timeout: 600_000,
}, async () => {
  const name = join(folder, 'kith-1')
  await layOutRelease(name)
  const archive = packRelease(name)
  expect(statSync(archive).size).toBeLessThan(PACKED_MAX_BYTES)
  rmSync(name, { recursive: true })
  execFileSync('tar', ['-xzf', archive, '-C', join(home, 'releases')])
  rmSync(archive)
  rmSync(join(home, 'releases/kith-1/docs/dist'), { recursive: true, force: true })
  use(basename(name))

  const first = await start()
  expect(first.output()).toContain(`${home}/releases/kith-1/kith user create`)
  expect(await textAt('/', { headers: { Accept: 'text/html' } })).toContain('<div id="root">')
  kith('user', 'create', '--email', 'ada@example.com', '--name', 'Ada')
  kith('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--owner', 'ada@example.com')
  const who = ['--workspace', 'acme', '--user', 'ada@example.com', '--name', 'sync']
  const token = kith('token', 'create', ...who, '--abilities', 'read,create')
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  await textAt('/api/v1/companies', { method: 'POST', headers, body: '{"name": "Globex"}' })
  const [check = ''] = /(?<=HEALTHCHECK .* CMD ).*/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  const [, ...probe]: string[] = JSON.parse(check)
  const node = join(home, 'current', 'node')
  const healthcheck = () => execFileSync(node, probe, { env, stdio: 'ignore' })
  healthcheck()

  // The running service keeps the files of its own release.
  cpSync(join(home, 'releases/kith-1'), join(home, 'releases/kith-2'), { recursive: true })
  writeGuide('kith-2')
  use('kith-2')
  expect(await textAt('/docs')).toContain('scalar')
  expect(await first.stop()).toBe(0)
  expect(healthcheck).toThrow()

  for (const release of ['kith-2', 'kith-1']) {
    use(release)
    const service = await start()
    expect(await textAt('/api/v1/companies', { headers })).toContain('"Globex"')
    // The application shows the way to the guide only if there is one.
    const hasGuide = release === 'kith-2'
    expect(await textAt('/api/app/start', { headers: { 'X-Kith-App': '1' } })).toContain(`"guide":${hasGuide}`)
    expect(await textAt('/guide/')).toContain(hasGuide ? 'index of the guide' : 'The guide is not built.')
    expect(service.output()).not.toContain('set-up')
    expect(await service.stop()).toBe(0)
    // With an account, all that it prints is the log, from the start to the end.
    const lines = service
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
    expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual([
      `Kith is running at ${env.APP_URL}`,
      'Stopping.',
      'Stopped.',
    ])
  }
})

test('the steps of the Dockerfile lay out a release', { timeout: 1_800_000 }, () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const isIgnored = (path: string) =>
    [path.slice(root.length), `**/${basename(path)}`].some((one) => ignored.includes(one))
  const isCopied = (path: string) => !isIgnored(path)
  const build = join(folder, 'build')
  mkdirSync(build)
  const [, stage = ''] = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^FROM /m)
  for (const [, step, rest = ''] of stage.matchAll(/^(COPY|RUN) (.*)$/gm)) {
    if (step === 'RUN') {
      const command = rest.replaceAll(' /release', ` ${join(folder, 'image')}`)
      execFileSync('sh', ['-c', command], { cwd: build, stdio: 'inherit' })
    } else {
      const paths = rest.split(' ')
      const target = join(build, paths.pop() ?? '')
      for (const path of paths) {
        const from = join(root, path)
        const to = path === '.' ? target : join(target, basename(path))
        cpSync(from, to, { recursive: true, filter: (source) => source === from || isCopied(source) })
      }
    }
  }
  expect(execFileSync(join(folder, 'image/kith'), ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
})
