import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sqlitePath } from '../../src/storage/engines/database-url.ts'
import { openFile } from '../../src/storage/engines/sqlite/file.ts'
import { type OwnService, ownProcess, ownService } from '../own-service.ts'
import { runKith } from '../run-kith.ts'
import { startService } from '../setup/service.ts'
import type { TestWorkspace } from '../workspace.ts'

// Starting a service takes long where much else runs.
vi.setConfig({ testTimeout: 120_000 })

type Started = { own: OwnService; workspace: TestWorkspace; path: string }

/** The endings of the names of the files of a database. */
const ENDS = ['', '-wal', '-shm']

async function started(start = ownService): Promise<Started> {
  const own = await start({ LOG_LEVEL: 'silent' })
  const workspace = await own.workspace()
  expect((await workspace.api.post('/companies', { name: 'Before' })).status).toBe(201)
  // A reader that opens the file later would make a new log.
  expect((await workspace.api.post('/companies/query', {})).status).toBe(200)
  // From here on the service alone has the file open.
  await closeOwn(own)
  return { own, workspace, path: sqlitePath(own.env.DATABASE_URL ?? '') }
}

async function closeOwn({ runtime }: OwnService): Promise<void> {
  await runtime.engine.close()
  runtime.engine.close = async () => {}
}

async function readyz({ url }: { url: string }) {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: await answer.json() }
}

type Way = { how: RegExp; lose(path: string): void }

/** Ways after which the same file can come back. */
const curable: Readonly<Record<string, Way>> = {
  removed: { how: /was removed/, lose: (path) => rmSync(path) },
  'removed with its log': {
    how: /was removed/,
    lose(path) {
      for (const end of ENDS) rmSync(path + end)
    },
  },
  'replaced by an empty file': {
    how: /was replaced by another file/,
    lose(path) {
      writeFileSync(`${path}.new`, '')
      renameSync(`${path}.new`, path)
    },
  },
}

const final: Readonly<Record<string, Way>> = {
  'replaced by a copy of itself': {
    how: /was replaced by another file/,
    lose(path) {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  },
  emptied: { how: /was emptied/, lose: (path) => truncateSync(path) },
  'removed with its directory': { how: /was removed/, lose: (path) => rmSync(dirname(path), { recursive: true }) },
}

async function expectLost({ own, workspace, path }: Started, { how, lose }: Way): Promise<void> {
  expect(await readyz(own)).toEqual({ status: 200, body: { status: 'ready' } })
  lose(path)
  const told = await readyz(own)
  expect(told.status).toBe(503)
  expect(told.body.reason).toMatch(how)
  expect(told.body.reason).toMatch(/an operator has put it back or restored a backup, and restarted the service/)
  for (let n = 0; n < 5; n++) {
    const answer = await workspace.api.post('/companies', { name: 'After' })
    expect([answer.status, answer.body.message]).toEqual([503, expect.stringMatching(how)])
  }
  expect(existsSync(path)).toBe(!/removed/.test(String(how)))
}

describe('A database file that is lost while the service runs and comes back', () => {
  let shared: Started

  beforeAll(async () => {
    shared = await started()
  })

  afterAll(() => shared.own.stop())

  it.each(Object.entries(curable))(
    '%s: not ready, no write is acknowledged, and the file is used again when it is back',
    async (_, way) => {
      const { own, workspace, path } = shared
      const total = async () => (await workspace.api.get('/companies')).body.meta.total
      const before = await total()
      for (const end of ENDS) linkSync(path + end, `${path}.kept${end}`)
      await expectLost(shared, way)
      for (const end of ENDS) {
        rmSync(path + end, { force: true })
        renameSync(`${path}.kept${end}`, path + end)
      }
      expect((await readyz(own)).status).toBe(200)
      expect((await workspace.api.post('/companies', { name: 'Again' })).status).toBe(201)
      expect(await total()).toBe(before + 1)
    },
  )
})

describe('A database file that is lost while the service runs', () => {
  it.each(Object.entries(final))('%s: not ready, and no write is acknowledged', async (_, way) => {
    const lost = await started()
    await expectLost(lost, way)
    mkdirSync(dirname(lost.path), { recursive: true })
    await lost.own.stop()
  })

  it('its log removed: no write is acknowledged, and callers learn that the outcome is not known', async () => {
    const { own, workspace, path } = await started(ownProcess)
    rmSync(`${path}-wal`)
    const { base, token } = workspace.api
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${base}/companies`, { method: 'POST', headers, body: '{"name":"After"}' })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, null])
    expect((await answer.json()).message).toMatch(/^The database log was removed .* check before you repeat it\.$/)
    expect((await readyz(own)).body.reason).toMatch(/^The database log was removed/)
    expect(await own.stop()).toBe(0)
  })

  it('its log cut short: no write is acknowledged', async () => {
    const { own, workspace, path } = await started()
    truncateSync(`${path}-wal`)
    const answer = await workspace.api.post('/companies', { name: 'After' })
    expect([answer.status, answer.body.message]).toEqual([503, expect.stringMatching(/cut short/)])
    expect((await readyz(own)).body.reason).toMatch(/cut short/)
    await own.stop()
  })

  it('its log cut short during a write is noticed before the write is confirmed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-log-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'kith.db')
    const connection = new DatabaseSync(path)
    connection.exec('pragma journal_mode = wal; create table t (x); insert into t values (1)')
    const file = openFile(path)
    file.checkCommit()
    // What is stored as it was counts as a change, and nothing of it is in the log.
    connection.exec('pragma wal_checkpoint(truncate); update t set x = x')
    expect(statSync(`${path}-wal`).size).toBe(0)
    file.checkCommit()
    // An operator may have the log written back and emptied: SQLite then begins it again.
    connection.exec('pragma wal_checkpoint(truncate); insert into t values (2)')
    file.checkCommit()
    truncateSync(`${path}-wal`)
    connection.exec('insert into t values (3)')
    expect(() => file.checkCommit()).toThrow(/The database log was cut short/)
    file.close()
    connection.close()
  })

  it('before any thread has opened it: the threads make no new one', async () => {
    const own = await ownService({ LOG_LEVEL: 'silent' })
    const workspace = await own.workspace()
    await closeOwn(own)
    const path = sqlitePath(own.env.DATABASE_URL ?? '')
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
    const answer = await workspace.api.post('/companies', { name: 'After' })
    expect([answer.status, answer.body.message]).toEqual([503, expect.stringMatching(/was replaced by another file/)])
    mkdirSync(dirname(path), { recursive: true })
    await own.stop()
  })
})

describe('Only the start of the service and kith migrate make a database', () => {
  const SECRET = 's'.repeat(40)

  it.each([
    ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'],
    ['workspace', 'list'],
    ['reindex'],
    ['backup', 'copy.gz'],
  ])('kith %s %s on a mistyped path makes nothing and says what to do', async (...args) => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-lost-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'typo', 'kith.db')
    const ran = await runKith(args, { DATABASE_URL: `file:${path}` })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.startsWith(`DATABASE_URL: there is no database at ${path}. This folder is `)).toBe(true)
    expect(ran.stderr).toContain(
      'Run this in the folder of the service, correct DATABASE_URL, or run kith migrate to make a new database.\n',
    )
    expect(readdirSync(folder)).toEqual([])
    expect((await runKith(['migrate'], { DATABASE_URL: `file:${path}`, SECRET })).code).toBe(0)
    const made = await runKith(['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'], {
      DATABASE_URL: `file:${path}`,
      SECRET,
    })
    expect(made.code).toBe(0)
  })
})

describe('Files of the database are for their owner only', () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

  it('a new one, its log, the secret and backups, whatever the umask', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-mode-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'data', 'kith.db')
    const before = process.umask(0)
    const service = await startService({ DATABASE_URL: `file:${path}`, LOG_LEVEL: 'silent' }).finally(() =>
      process.umask(before),
    )
    const ran = await runKith(['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'], {
      DATABASE_URL: `file:${path}`,
    })
    expect(ran.code).toBe(0)
    expect((await runKith(['backup', join(folder, 'copy.gz')], { DATABASE_URL: `file:${path}` })).code).toBe(0)
    const modes = readdirSync(join(folder, 'data')).map((name) => [name, modeOf(join(folder, 'data', name))])
    expect(Object.fromEntries(modes)).toMatchObject({
      'kith.db': '600',
      'kith.db-shm': '600',
      'kith.db-wal': '600',
      secret: '600',
    })
    expect(modeOf(join(folder, 'data'))).toBe('700')
    expect(modeOf(join(folder, 'copy.gz'))).toBe('600')
    await service.stop()
  })

  it('one of an earlier version becomes so at the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-mode-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'kith.db')
    const env = { DATABASE_URL: `file:${path}`, SECRET: 's'.repeat(40) }
    expect((await runKith(['migrate'], env)).code).toBe(0)
    chmodSync(path, 0o644)
    const service = await startService(env)
    expect(modeOf(path)).toBe('600')
    await service.stop()
  })
})
