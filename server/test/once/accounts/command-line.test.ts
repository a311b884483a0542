import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOfToken } from '../../../src/accounts/tokens.ts'
import { type TestDatabase, testDatabase } from '../../engine.ts'
import { runKith } from '../../run-kith.ts'
import { serverFile } from '../../setup/bundle.ts'
import { COMPILED } from '../../setup/service.ts'

const bin = fileURLToPath(new URL('../../../bin/kith.js', import.meta.url))
const SYSTEM_NODE = '/usr/bin/node'

let database: TestDatabase
let folder: string

type Ended = { code: number | null; out: string; err: string }
type Start = { input?: string; env?: Record<string, string> }

/** The command line as a process. */
const program = [process.execPath, serverFile('main')]

const ownEnv = () => ({ DATABASE_URL: database.url, SECRET: 's'.repeat(40) })

/** Runs `kith` on the test's database. */
async function kith(args: readonly string[], { input, env }: Start = {}): Promise<Ended> {
  const { code, stdout: out, stderr: err } = await runKith(args, { ...ownEnv(), ...env }, { input })
  return { code, out, err }
}

/** Runs a program as a process in a folder of its own. */
async function spawned([command = '', ...args]: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...ownEnv() },
  })
  child.stdin.end(input)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
  return { code, out, err }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', (code) => resolve(code)))
}

/** Runs it with --json, expects it to go well, and reads the answer. */
async function json(...args: string[]) {
  const { code, out, err } = await kith([...args, '--json'])
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

beforeAll(async () => {
  database = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'kith-command-'))
  const asked = ['user', 'create', '--email', 'Ada@example.com', '--name', 'Ada', '--password-stdin']
  // Only the service and this command make a database.
  expect(await kith(['migrate'])).toMatchObject({ code: 0, err: '' })
  expect(await spawned([...program, ...asked], 'correct horse\n')).toMatchObject({ code: 0, err: '' })
  await json('workspace', 'create', '--name', 'Acme Inc.', '--owner', 'ada@example.com')
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

describe('users', () => {
  test('are distinguished by email', async () => {
    const made = await json('user', 'create', '--email', 'bob@example.com', '--name', 'Bob')
    expect(made).toEqual({ id: expect.any(String), email: 'bob@example.com', name: 'Bob', verified: true })
    const again = await kith(['user', 'create', '--email', 'BOB@example.com', '--name', 'Bob'])
    expect(again).toEqual({ code: 1, out: '', err: 'A user with the email bob@example.com exists already.\n' })
  })

  test('without a password get a link that signs them in, and are listed and deleted', async () => {
    const { out } = await kith(['user', 'create', '--email', 'fay@example.com', '--name', 'Fay'])
    expect(out).toMatch(
      /choose a password within a day:\n\n {2}http:\/\/localhost:3000\/reset-password\?first=true&token=\S+\n/,
    )
    const emails = async () => (await json('user', 'list')).map(({ email }: { email: string }) => email)
    expect(await emails()).toContain('fay@example.com')
    expect(await json('user', 'delete', '--email', 'fay@example.com')).toMatchObject({ name: 'Fay' })
    expect(await emails()).not.toContain('fay@example.com')
  })

  test('need a password of ten characters, the line end not counted', async () => {
    const args = ['user', 'create', '--email', 'cat@example.com', '--name', 'Cat', '--password-stdin']
    expect(await kith(args, { input: '123456789\n' })).toMatchObject({ code: 1, out: '' })
    expect(await kith(args, { input: '1234567890\r\n' })).toMatchObject({ code: 0 })
  })
})

describe('workspaces', () => {
  test('are made and listed', async () => {
    const made = await json('workspace', 'create', '--name', 'Other', '--owner', 'ada@example.com', '--slug', 'second')
    expect(made).toMatchObject({ slug: 'second', name: 'Other', access: 'open', paused_at: null })
    expect((await json('workspace', 'list')).map((one: { slug: string }) => one.slug)).toEqual(['acme-inc', 'second'])
    const { out } = await kith(['workspace', 'list'])
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^SLUG +NAME +ID +ACCESS +CREATED$/)
    expect(new Set(lines.map((line) => line.indexOf(line.split(/ {2,}/)[2] ?? '')))).toHaveProperty('size', 1)
  })

  test.runIf(existsSync('/dev/full'))('are not listed on a full disk, which is a failure', async () => {
    const full = ['sh', '-c', '"$@" > /dev/full', 'sh', ...program, 'workspace', 'list']
    const err =
      'The output cannot be used: no space left on device. Check the path, its permissions and the space on the disk.\n'
    expect(await spawned(full)).toEqual({ code: 1, out: '', err })
  })

  test('are deleted after an export, or expressly without one', async () => {
    await json('workspace', 'create', '--name', 'Old', '--owner', 'ada@example.com', '--slug', 'old')
    await json('sample', '--workspace', 'old', '--companies', '3')
    expect((await kith(['workspace', 'delete', '--workspace', 'old'])).code).toBe(2)
    const exported = join(folder, 'exports', 'old')
    expect(await json('workspace', 'delete', '--workspace', 'old', '--export', exported)).toMatchObject({ records: 3 })
    const lines = readFileSync(join(exported, 'companies.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['companies', 'companies', 'companies', 'end'])
    expect(statSync(join(exported, 'audit.ndjson')).mode & 0o777).toBe(0o600)
    expect((await json('workspace', 'list')).map((one: { slug: string }) => one.slug)).not.toContain('old')
    // The files may be all that is left of the workspace.
    await json('workspace', 'create', '--name', 'Next', '--owner', 'ada@example.com', '--slug', 'next')
    const again = await kith(['workspace', 'delete', '--workspace', 'next', '--export', exported])
    expect(again).toMatchObject({ code: 1, err: `${exported} is not empty. Name a new folder.\n` })
    expect(await json('workspace', 'delete', '--workspace', 'next', '--no-export')).toMatchObject({ slug: 'next' })
  })

  test('are paused and resumed in a hosted installation', async () => {
    const args = ['--workspace', 'acme-inc', '--json']
    const hosted = { env: { HOSTED: 'true' } }
    expect(JSON.parse((await kith(['workspace', 'pause', ...args], hosted)).out).access).toBe('paused')
    expect(JSON.parse((await kith(['workspace', 'resume', ...args], hosted)).out).access).toBe('open')
    expect((await kith(['workspace', 'complimentary', ...args], hosted)).code).toBe(0)
    expect(await json('workspace', 'complimentary', '--workspace', 'acme-inc', '--off')).toMatchObject({
      complimentary: false,
    })
  })

  test('elsewhere a pause says that it shuts nothing', async () => {
    expect((await kith(['workspace', 'pause', '--workspace', 'acme-inc'])).err).toMatch(/^HOSTED is not set/)
    expect((await kith(['workspace', 'resume', '--workspace', 'acme-inc'])).err).toBe('')
  })
})

describe('members', () => {
  test('are added, get other roles, are listed and removed', async () => {
    await json('user', 'create', '--email', 'dan@example.com', '--name', 'Dan')
    const dan = ['--workspace', 'acme-inc', '--email', 'dan@example.com']
    expect(await json('member', 'add', ...dan)).toMatchObject({ role: 'member' })
    expect(await json('member', 'role', ...dan, '--role', 'viewer')).toMatchObject({ role: 'viewer' })
    expect(await json('member', 'list', '--workspace', 'acme-inc')).toHaveLength(2)
    expect(await json('member', 'remove', ...dan)).toMatchObject({ email: 'dan@example.com' })
    expect(await json('member', 'list', '--workspace', 'acme-inc')).toHaveLength(1)
  })

  test('need an account', async () => {
    const ended = await kith(['member', 'add', '--workspace', 'acme-inc', '--email', 'nobody@example.com'])
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/^No user has the email nobody@example\.com\..*kith user create.*\n$/)
  })
})

describe('tokens', () => {
  const args = ['token', 'create', '--workspace', 'acme-inc', '--user', 'ada@example.com', '--name', 'Sync']

  test('are the only thing on standard output', async () => {
    const asked = [...program, ...args, '--abilities', 'read, create', '--expires', '30']
    const { code, out, err } = await spawned(asked)
    expect(code).toBe(0)
    expect(kindOfToken(out.trimEnd())).toBe('personal')
    expect(err).toMatch(/^Keep this token.*expires at .*\n$/)
  })

  test('do not expire by default', async () => {
    const made = await json(...args, '--abilities', 'read,create,update,delete')
    expect(made).toMatchObject({ expires_at: null, abilities: ['read', 'create', 'update', 'delete'] })
    expect(kindOfToken(made.token)).toBe('personal')
  })

  test('are listed and revoked', async () => {
    const { id } = await json(...args, '--abilities', 'read')
    expect(await json('token', 'revoke', '--workspace', 'acme-inc', '--id', id)).toMatchObject({ id, name: 'Sync' })
    const { out } = await kith(['token', 'list', '--workspace', 'acme-inc'])
    expect(out.split('\n').find((line) => line.startsWith(id))).toContain('revoked')
    const listed = await json('token', 'list', '--workspace', 'acme-inc')
    expect(listed.find((token: { id: string }) => token.id === id)).toMatchObject({ user_email: 'ada@example.com' })
    expect(JSON.stringify(listed)).not.toContain('hash')
  })

  test('need a member, and report all problems in one line', async () => {
    await json('user', 'create', '--email', 'eve@example.com', '--name', 'Eve')
    const stranger = args.map((arg) => arg.replace('ada@', 'eve@'))
    expect((await kith([...stranger, '--abilities', 'read'])).err).toBe(
      'eve@example.com is not a member of a workspace acme-inc.\n',
    )
    const { code, err } = await kith([...args, '--abilities', 'write', '--expires', '1'])
    expect(code).toBe(1)
    expect(err).toMatch(/^The ability write does not exist\. .* A token expires after .*\n$/)
  })
})

describe('a mistake', () => {
  test.each([
    [['tokn'], 'Unknown command tokn. Did you mean token? Usage: kith COMMAND'],
    [
      ['user', 'crate'],
      'Unknown user command crate. Did you mean create? Usage: kith user create|verify|reset-link|reset-two-factor|list|delete',
    ],
    [[], 'Missing command. Usage: kith COMMAND (kith --help lists the commands)'],
    [['workspace', 'list', '--jsn'], 'Unknown option --jsn. Did you mean --json? Usage: kith workspace list'],
  ])('%j is told in one line', async (args, line) => {
    expect(await kith(args)).toEqual({ code: 2, out: '', err: `${line}\n` })
  })

  test('in the slug is reported with the nearest one', async () => {
    const { code, err } = await kith(['token', 'list', '--workspace', 'acme-ink'])
    expect({ code, err }).toEqual({ code: 1, err: 'No workspace has the slug acme-ink. Did you mean acme-inc?\n' })
  })

  test('in the configuration is reported with all others', async () => {
    const { code, err } = await kith(['migrate'], { env: { PORT: 'x', KITH_PORT: '1' } })
    expect(code).toBe(1)
    expect(err.trimEnd().split('\n')).toEqual([expect.stringMatching(/^PORT: /), expect.stringMatching(/^KITH_PORT: /)])
  })

  test.each([
    ['postgres://ada:hunter2@127.0.0.1:1/none', /^The database 127\.0\.0\.1\/none could not be opened: .*ECONNREFUSED/],
    ['file:/dev/null/kith.db', /^The database \/dev\/null\/kith\.db could not be opened: /],
    // Node's own recursive mkdir never returns there.
    ['file:/proc/none/kith.db', /^The database \/proc\/none\/kith\.db could not be opened: /],
  ])('in the address of the database is told: %s', async (url, line) => {
    const { code, err } = await kith(['migrate'], { env: { DATABASE_URL: url } })
    expect(code).toBe(1)
    expect(err).toMatch(line)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(err).not.toContain('hunter2')
  })
})

test('in a folder without a database it makes none and says where it looked', async () => {
  const url = `file:${join(folder, 'elsewhere', 'kith.db')}`
  const { code, err } = await kith(['workspace', 'list'], { env: { DATABASE_URL: url } })
  expect(code).toBe(1)
  expect(err).toContain(
    `there is no database at ${join(folder, 'elsewhere', 'kith.db')}. This folder is ${process.cwd()}`,
  )
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
})

describe('help', () => {
  test('names every command', async () => {
    const { code, out } = await kith(['--help'])
    expect(code).toBe(0)
    for (const word of ['serve', 'user', 'workspace', 'member', 'token', 'migrate']) expect(out).toContain(`  ${word} `)
  })

  test('shows the usage of a group and of a command', async () => {
    expect((await kith(['member', '--help'])).out).toContain('kith member add --workspace S --email E [--role R]')
    expect((await kith(['user', 'create', '-h'])).out).toContain('[--password-stdin]')
    expect((await kith(['migrate', '--help'])).out).toContain('Usage: kith migrate')
  })
})

test('migrate says what it ran', async () => {
  expect(await json('migrate')).toEqual({ applied: [] })
  expect((await kith(['migrate'])).out).toBe('The database is at this version already.\n')
  const fresh = `file:${join(folder, 'fresh.db')}`
  const { out } = await kith(['migrate', '--json'], { env: { DATABASE_URL: fresh } })
  expect(JSON.parse(out).applied).toContain('0001-first-release')
})

test('.env in the working directory fills in what the environment leaves unset', async () => {
  writeFileSync(join(folder, '.env'), 'PORT=x\nSECRET=short\n')
  try {
    expect((await spawned([...program, 'migrate'])).err).toMatch(/^PORT: .*\n$/)
  } finally {
    rmSync(join(folder, '.env'))
  }
})

test('the program starts on the Node that runs it', async () => {
  expect(await spawned([process.execPath, bin, 'nothing'])).toMatchObject({ code: 2 })
})

test.runIf(existsSync(SYSTEM_NODE))('the program brings its own Node where the machine has an older one', async () => {
  const { code, out } = await spawned([SYSTEM_NODE, bin, 'workspace', 'list', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ slug: 'acme-inc' }))
})
