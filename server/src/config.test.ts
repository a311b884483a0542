import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { misspeltSettings, parseDomainRules, readConfig, rulesFor } from './config.ts'
import { BadConfig } from './secret.ts'

const SECRET = 'a-secret-that-is-long-enough-for-anyone'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kith-config-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig({ SECRET, ...env })
  } catch (error) {
    if (error instanceof BadConfig) return error.problems
    throw error
  }
  return []
}

describe('without any settings', () => {
  test('everything has a default', () => {
    expect(readConfig({ SECRET })).toEqual({
      PORT: 3000,
      DRAIN_SECONDS: 0,
      IMPORT_MAX_MB: 256,
      FILES_URL: 'file:./data/files',
      FILE_MAX_MB: 25,
      FILES_WORKSPACE_MB: 0,
      REGISTER_LIMIT_ADDRESS: 20,
      REGISTER_LIMIT_TOTAL: 200,
      WORKSPACES_PER_ACCOUNT: 10,
      WORKSPACE_CREATION: 'everyone',
      REQUEST_SECONDS: 60,
      REQUESTS_AT_ONCE: 1000,
      OTEL_SERVICE_NAME: 'kith',
      HOST: '0.0.0.0',
      DATABASE_URL: 'file:./data/kith.db',
      DATABASE_CONNECTIONS: 10,
      APP_URL: 'http://localhost:3000',
      TRUST_PROXY: false,
      CORS_ORIGINS: [],
      SECRET,
      LOG_LEVEL: 'info',
      HOSTED: false,
      RATE_LIMIT_WORKSPACE: 600,
      RATE_LIMIT_READS: 300,
      RATE_LIMIT_WRITES: 60,
      RATE_LIMIT_ITEMS: 60_000,
      RATE_LIMIT_SESSION: 6000,
      QUERY_SECONDS: 10,
      SIGN_IN_LIMIT_ACCOUNT: 10,
      SIGN_IN_LIMIT_ADDRESS: 100,
      SESSION_IDLE_HOURS: 336,
      CHANGES_DAYS: 90,
      WEBHOOK_ALLOW_PRIVATE: { hosts: [], networks: [] },
      CLIENT_DOCUMENT_ALLOW_PRIVATE: { hosts: [], networks: [] },
      WEBHOOK_RETRIES: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      OIDC_NAME: 'single sign-on',
      OIDC_MEMBERSHIP: [],
      OIDC_SECOND_FACTOR: false,
    })
  })

  test('an empty value counts as unset', () => {
    expect(readConfig({ SECRET, PORT: '', APP_URL: '', HOSTED: '', SMTP_URL_FILE: '', KITH_X: '' }).PORT).toBe(3000)
  })

  test.each([
    ['file:./data/kith.db', 'file:./data/files'],
    ['file:/var/lib/kith/kith.db', 'file:/var/lib/kith/files'],
    ['file:///var/lib/kith/kith.db', 'file:///var/lib/kith/files'],
    ['file:kith.db', 'file:files'],
    ['postgres://kith@localhost/kith', 'file:./data/files'],
  ])('files of %s are in %s', (DATABASE_URL, folder) => {
    expect(readConfig({ SECRET, DATABASE_URL }).FILES_URL).toBe(folder)
  })

  test('the address follows the port', () => {
    expect(readConfig({ SECRET, PORT: '8080' }).APP_URL).toBe('http://localhost:8080')
  })
})

describe('values', () => {
  test.each([
    ['APP_URL', 'https://CRM.example.com/', 'https://crm.example.com'],
    ['API_DOMAIN', 'API.example.com', 'api.example.com'],
    ['MCP_DOMAIN', 'MCP.example.com', 'mcp.example.com'],
    ['HOSTED', 'TRUE', true],
    ['HOSTED', '0', false],
    ['RATE_LIMIT_READS', '0', 0],
    ['DATABASE_URL', 'postgresql://u:p@h/db', 'postgresql://u:p@h/db'],
    ['DATABASE_URL', 'file:///var/lib/kith.db', 'file:///var/lib/kith.db'],
    ['TRUST_PROXY', 'true', true],
    ['CORS_ORIGINS', '*', '*'],
    ['CORS_ORIGINS', 'https://a.com, http://localhost:5173/', ['https://a.com', 'http://localhost:5173']],
    ['TRUST_PROXY', '0', false],
    ['TRUST_PROXY', '1', 1],
    ['TRUST_PROXY', '2', 2],
    ['TRUST_PROXY', '10.0.0.0/8, ::1,loopback', ['10.0.0.0/8', '::1', 'loopback']],
  ] as const)('%s=%s is read', (name, text, value) => {
    expect(readConfig({ SECRET, [name]: text })[name]).toEqual(value)
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['PORT', '-1'],
    ['HOST', 'localhost:3000'],
    ['DATABASE_URL', './data/kith.db'],
    ['DATABASE_URL', 'file:'],
    ['DATABASE_URL', 'mysql://h/db'],
    ['DATABASE_CONNECTIONS', '0'],
    ['DATABASE_READ_URL', 'file:./data/replica.db'],
    ['APP_URL', 'crm.example.com'],
    ['APP_URL', 'https://example.com/crm'],
    ['API_DOMAIN', 'https://api.example.com'],
    ['MCP_DOMAIN', 'mcp.example.com/mcp'],
    ['TRUST_PROXY', 'nginx'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://a.com,https://b.com/path'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['SECRET', 'short'],
    ['LOG_LEVEL', 'verbose'],
    ['HOSTED', 'maybe'],
    ['SMTP_URL', 'mail.example.com'],
    ['MAIL_FROM', 'Kith'],
    ['SIGN_IN_LIMIT_ACCOUNT', '-1'],
    ['RATE_LIMIT_WRITES', 'off'],
    ['RATE_LIMIT_SESSION', '-5'],
    ['READER_THREADS', '0'],
    ['QUERY_SECONDS', '3601'],
    ['QUERY_SECONDS', '0.5'],
    ['SESSION_IDLE_HOURS', 'never'],
    ['CHANGES_DAYS', '6'],
    ['CHANGES_DAYS', '3651'],
    ['WEBHOOK_ALLOW_PRIVATE', '10.0.0.0/33'],
    ['WEBHOOK_RETRIES', '5,soon'],
    ['OIDC_ISSUER', 'login.example.com'],
    ['OIDC_MEMBERSHIP', 'example.com=acme:owner'],
    ['OIDC_SECOND_FACTOR', 'maybe'],
  ])('%s=%s is refused in one line that names it', (name, text) => {
    const problems = problemsOf({ [name]: text })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^${name}: .* is not accepted\\. It must be .+\\.$`))
  })

  test('a provider takes three settings', () => {
    const problems = problemsOf({ OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'kith' })
    expect(problems).toEqual([
      'OIDC_CLIENT_SECRET: missing. Sign-in through a provider takes OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET.',
    ])
  })

  test('a bucket takes both of its keys', () => {
    const FILES_URL = 's3://crm-files?endpoint=https://s3.example.com&region=eu'
    expect(problemsOf({ FILES_URL, S3_ACCESS_KEY: 'key' })).toEqual([
      'S3_SECRET_KEY: missing. A bucket in FILES_URL takes S3_ACCESS_KEY and S3_SECRET_KEY.',
    ])
    expect(problemsOf({ FILES_URL, S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret' })).toEqual([])
    expect(problemsOf({ FILES_URL: 'https://s3.example.com' })).toEqual([
      expect.stringMatching(/^FILES_URL: "https:.*" is not accepted\. It must be file: and a folder, .+ or s3:/),
    ])
  })

  test('a replica requires PostgreSQL as the primary', () => {
    expect(problemsOf({ DATABASE_READ_URL: 'postgres://h/db' })).toEqual([
      'DATABASE_READ_URL: a file has no replica. It is accepted where DATABASE_URL is postgres://…',
    ])
    expect(problemsOf({ DATABASE_READ_URL: 'postgres://r/db', DATABASE_URL: 'postgres://h/db' })).toEqual([])
  })

  test.each([
    'postgres://u:p@h1,h2/kith?target_session_attrs=read-write',
    'postgres://u:p@h1:5432,[::1]:5433/kith?target_session_attrs=primary',
    'postgres://h1,h2/kith?port=5432,5433',
    'postgres://h/kith?target_session_attrs=any',
  ])('several hosts of PostgreSQL are accepted: %s', (url) => {
    expect(problemsOf({ DATABASE_URL: url })).toEqual([])
  })

  test.each([
    ['h1,h2/kith?target_session_attrs=standby', 'target_session_attrs=standby is not accepted.'],
    ['h1,,h2/kith', 'A host has no name.'],
    ['/kith?target_session_attrs=read-write', 'A host has no name.'],
    ['h1:5432,h2:x/kith', 'A host must be a name or an address, with or without a port.'],
    ['h1:5432,h2:70000/kith', 'A port must be a number from 1 to 65535.'],
    ['h1,h2/kith?port=1,2,3', 'There are 3 ports for 2 hosts.'],
    ['h1/kith?port=5432,5433', 'There are 2 ports for 1 host.'],
  ])('a mistake in several hosts of PostgreSQL is told: postgres://%s', (rest, problem) => {
    const accepted =
      'Several hosts are postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write, ' +
      'with a port for each of them or for none. target_session_attrs takes any (the default), read-write or primary.'
    const url = `postgres://${rest}`
    expect(problemsOf({ DATABASE_URL: url })).toEqual([`DATABASE_URL: ${problem} ${accepted}`])
    expect(problemsOf({ DATABASE_URL: 'postgres://h/db', DATABASE_READ_URL: url })).toEqual([
      `DATABASE_READ_URL: ${problem} ${accepted}`,
    ])
  })

  test('all problems are reported at once', () => {
    expect(problemsOf({ PORT: 'x', LOG_LEVEL: 'loud', KITH_PORT: '1' })).toHaveLength(3)
  })

  test('what is accepted is said, and what was given', () => {
    expect(problemsOf({ PORT: 'x' })).toEqual(['PORT: "x" is not accepted. It must be a whole number from 0 to 65535.'])
  })

  test('a wrong secret is not repeated', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://root:hunter2@h' }).join()).not.toContain('hunter2')
  })
})

describe('the documentation', () => {
  const root = join(import.meta.dirname, '../..')
  const [problem = ''] = problemsOf({ KITH_X: 'x' })
  const known = /Accepted: ([A-Z0-9_, ]+)\./.exec(problem)?.[1]?.split(', ') ?? []

  test('.env.example explains every setting', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8')
    const named = [...example.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name = '']) => name)
    expect(named.sort()).toEqual(known.sort())
  })

  test('docs/operate/settings.md names every setting with its default', () => {
    const page = readFileSync(join(root, 'docs/operate/settings.md'), 'utf8')
    const codesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    const documented = [...page.matchAll(/^\| (`[A-Z].*?) \|(.*?)\|/gm)].flatMap(([, names = '', defaults = '']) => {
      return codesIn(names).map((name, place) => [name, codesIn(defaults)[place] ?? ''])
    })
    expect(documented.map(([name]) => name).sort()).toEqual(known.sort())
    const usual = Object.entries(readConfig({ SECRET })).filter(([name]) => name !== 'SECRET')
    // Lists of hosts are objects, which are empty.
    const shown = usual.map(([name, value]) => [name, /object Object/.test(String(value)) ? '' : String(value)])
    const all = known.map((name) => [name, shown.find(([one]) => one === name)?.[1] ?? ''])
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(all))
  })
})

test('unknown KITH_ variables are refused with the nearest name', () => {
  const [problem] = problemsOf({ KITH_DATABASE_URI: 'x' })
  expect(problem).toMatch(/^KITH_DATABASE_URI: no such setting.*Did you mean DATABASE_URL\?$/)
})

test('settings that are nearly spelt right are reported, variables of other programs are not', () => {
  expect(misspeltSettings({ RATE_LIMIT_WRITE: '1', SMTP_URI: 'x', DATABASE_URL_FIL: 'x' })).toEqual([
    'RATE_LIMIT_WRITE is not a setting of Kith and is ignored. Did you mean RATE_LIMIT_WRITES?',
    'SMTP_URI is not a setting of Kith and is ignored. Did you mean SMTP_URL?',
    'DATABASE_URL_FIL is not a setting of Kith and is ignored. Did you mean DATABASE_URL_FILE?',
  ])
  const others = { HOSTNAME: 'x', PATH: 'x', REQUESTS_CA_BUNDLE: 'x', LOG_LEVEL: 'x', NODE_OPTIONS: 'x', APP_ENV: 'x' }
  expect(misspeltSettings(others)).toEqual([])
})

describe('secrets in files', () => {
  test('NAME_FILE gives the trimmed content of the file', () => {
    const path = join(folder, 'smtp')
    writeFileSync(path, 'smtp://mail.example.com\n')
    expect(readConfig({ SECRET, SMTP_URL_FILE: path }).SMTP_URL).toBe('smtp://mail.example.com')
  })

  test('both at once are a problem', () => {
    expect(problemsOf({ SECRET_FILE: '/dev/null' })).toEqual([
      'SECRET: given both as SECRET and as SECRET_FILE. Only one of them is accepted.',
    ])
  })

  test('a file that is missing or empty is a problem', () => {
    writeFileSync(join(folder, 'empty'), '\n')
    const problems = problemsOf({ SMTP_URL_FILE: join(folder, 'none'), DATABASE_URL_FILE: join(folder, 'empty') })
    expect(problems).toEqual([expect.stringContaining('is empty'), expect.stringContaining('(ENOENT)')])
  })

  test('what the file holds is checked too', () => {
    writeFileSync(join(folder, 'secret'), 'short')
    expect(() => readConfig({ SECRET_FILE: join(folder, 'secret') })).toThrow(
      /^SECRET: the value given is not accepted/,
    )
  })
})

describe('a secret that is not given', () => {
  test('is made once and kept next to the data, readable by its owner only', () => {
    const env = { DATABASE_URL: `file:${join(folder, 'data', 'kith.db')}` }
    const made = readConfig(env).SECRET
    expect(made.length).toBeGreaterThanOrEqual(32)
    expect(readConfig(env).SECRET).toBe(made)
    const path = join(folder, 'data', 'secret')
    expect(readFileSync(path, 'utf8').trim()).toBe(made)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is a problem where it cannot be kept', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => readConfig({ DATABASE_URL: `file:${join(folder, 'file', 'kith.db')}` })).toThrow(BadConfig)
  })

  test('is not made for a command that makes no database', () => {
    const env = { DATABASE_URL: 'postgres://localhost/kith' }
    // A service that ran in the folder of the tests has left a secret there.
    onTestFinished(vi.spyOn(process, 'cwd').mockReturnValue(folder).mockRestore)
    expect(() => readConfig(env, { creates: false })).toThrow(/^SECRET: none is given, and there is none in .*secret\./)
  })

  test('is a problem where the stored one is too short', () => {
    writeFileSync(join(folder, 'secret'), '')
    expect(() => readConfig({ DATABASE_URL: `file:${join(folder, 'kith.db')}` })).toThrow(/is too short/)
  })
})

test('domains are given workspaces and roles, member unless another is named', () => {
  expect(parseDomainRules('Acme.com=acme:admin, example.org=acme-2')).toEqual([
    { domain: 'acme.com', slug: 'acme', role: 'admin' },
    { domain: 'example.org', slug: 'acme-2', role: 'member' },
  ])
})

test.each([
  'acme.com',
  'acme.com=acme:owner',
  'acme.com=acme:king',
  '=acme',
  'acme.com=',
  'a b=acme',
  'acme.com=acme,',
])('%j is not accepted', (text) => {
  expect(parseDomainRules(text)).toBeUndefined()
})

test('a rule is for its domain alone', () => {
  const rules = parseDomainRules('acme.com=acme') ?? []
  expect(rulesFor(rules, 'ada@ACME.com')).toHaveLength(1)
  for (const email of ['ada@evil-acme.com', 'ada@sub.acme.com', 'acme.com', 'a@acme.com@evil.com']) {
    expect(rulesFor(rules, email), email).toEqual([])
  }
})
