import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPostgres, makeFolder, sqlitePath } from './storage/engines/database-url.ts'
import { codeOf } from './storage/engines/storage-trouble.ts'

export const SECRET_MIN = 32

/** The secret of an installation without SECRET: stored next to the data, and generated once if `creates` is set. */
export function storedSecret(databaseUrl: string, creates: boolean): string {
  const folder = isPostgres(databaseUrl) ? resolve('data') : dirname(sqlitePath(databaseUrl))
  const path = join(folder, 'secret')
  const secret = readOrMake(folder, path, creates)
  if (secret.length >= SECRET_MIN) return secret
  throw new BadConfig([`SECRET: none is given, and the one in ${path} is too short. Give one, or remove that file.`])
}

function readOrMake(folder: string, path: string, creates: boolean): string {
  try {
    return readIfThere(path) ?? (creates ? makeSecret(folder, path) : refuseMissing(path))
  } catch (error) {
    if (error instanceof BadConfig) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadConfig([
      `SECRET: none is given, and none could be stored in ${path} (${reason}). Give one, or make it writable.`,
    ])
  }
}

/** With another secret than the service, a command would make links and tokens that do not work. */
function refuseMissing(path: string): never {
  throw new BadConfig([
    `SECRET: none is given, and there is none in ${path}. Run this in the folder of the service, or give its SECRET.`,
  ])
}

function makeSecret(folder: string, path: string): string {
  makeFolder(folder)
  // Write to a draft and link it: if two processes start at once, one wins, and no one reads half a secret.
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8').trim()
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Problems in the configuration. Each line names the variable, the problem and what is accepted. */
export class BadConfig extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Secret settings. Each can also be read from a file, named by `NAME_FILE`. */
export const SECRET_NAMES: readonly string[] = [
  'SECRET',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_ID',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
]

type Outcome = { values: Record<string, string>; problems: string[] }

export function readSecretFiles(env: Readonly<Record<string, string | undefined>>): Outcome {
  const outcome: Outcome = { values: {}, problems: [] }
  for (const name of SECRET_NAMES) {
    const path = env[`${name}_FILE`]
    if (path === undefined) continue
    if (env[name] !== undefined) {
      outcome.problems.push(`${name}: given both as ${name} and as ${name}_FILE. Only one of them is accepted.`)
      continue
    }
    const content = contentOf(path)
    if (content.problem === undefined) outcome.values[name] = content.text
    else outcome.problems.push(`${name}_FILE: ${content.problem} It must be the path of a file that holds the value.`)
  }
  return outcome
}

function contentOf(path: string): { text: string; problem?: undefined } | { problem: string } {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return text === '' ? { problem: `${path} is empty.` } : { text }
  } catch (error) {
    return { problem: `${path} could not be read (${codeOf(error) || 'unknown error'}).` }
  }
}
