import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HOUR_MS } from '@kith/contract/limits'
import { type Config, type Environment, misspeltSettings } from '../config.ts'
import { checkMail } from '../runtime/mail.ts'
import { version } from '../scope/version.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import { isMigrated, loadApplied, unknownNames } from '../storage/migrations/migrate.ts'
import { loadDatabaseTime } from '../storage/tables/database-time.ts'
import { messageOf } from './failure.ts'
import { shownAddress, withReader } from './with-database.ts'

/** What a check found. `advice` is worth a look, `problem` stops or endangers the service. */
export type Finding = { check: string } & Found
type Found = { state: 'ok' | 'advice' | 'problem'; text: string; remedy?: string }

const ok = (text: string): Found => ({ state: 'ok', text })
const advice = (text: string, remedy: string): Found => ({ state: 'advice', text, remedy })
const problem = (text: string, remedy: string): Found => ({ state: 'problem', text, remedy })

type Patient = { config: Config; environment: Environment; backups?: string | undefined; now(): Date }

/** By name, in the order in which they are reported. Each ends within seconds. */
const checks: Readonly<Record<string, (patient: Patient) => Found | Promise<Found>>> = {
  version: checkVersion,
  settings: checkSettings,
  database: checkDatabase,
  disk: checkDisk,
  clock: checkClock,
  mail: checkMailServer,
  proxy: checkProxy,
  backups: checkBackups,
}

export async function* examine(patient: Patient): AsyncGenerator<Finding> {
  for (const [check, run] of Object.entries(checks)) yield { check, ...(await run(patient)) }
}

const NODE_MAJOR_MIN = 24

function checkVersion(): Found {
  const text = `Kith ${version} on Node ${process.versions.node}.`
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return ok(text)
  return problem(text, `Kith needs Node ${NODE_MAJOR_MIN}: run npm ci.`)
}

function checkSettings({ config, environment }: Patient): Found {
  const misspelt = misspeltSettings(environment)
  if (misspelt.length > 0) return { state: 'problem', text: misspelt.join(' ') }
  const env = statSync('.env', { throwIfNoEntry: false })
  if (env && (env.mode & 0o077) !== 0 && process.platform !== 'win32') {
    return advice('Other users can read .env.', 'Run chmod 600 .env.')
  }
  if (environment.SECRET === undefined && environment.SECRET_FILE === undefined) {
    const text = 'SECRET is stored next to the data, so a copy of the data folder holds both.'
    return advice(text, 'Move it into SECRET or SECRET_FILE, and keep a copy elsewhere.')
  }
  return ok(`The service is at ${config.APP_URL}.`)
}

async function checkDatabase({ config }: Patient): Promise<Found> {
  try {
    return await withReader({ config }, async (engine) => {
      const where = shownAddress(config.DATABASE_URL)
      const unknown = unknownNames([...(await loadApplied(engine.db))])
      if (unknown.length > 0) {
        const text = `${where} was migrated by a newer version (${unknown.join(', ')}).`
        return problem(
          text,
          'Start that version again, or restore the backup from before the upgrade into a new database.',
        )
      }
      if (await isMigrated(engine.db)) return ok(`${where} is at this version.`)
      const text = `${where} is not at this version.`
      return problem(text, 'Start the service or run kith migrate.')
    })
  } catch (error) {
    return problem(messageOf(error), 'Correct DATABASE_URL, or start the database.')
  }
}

const FREE_MIN = 1024 ** 3

/** A migration and a backup may each need as much space as the database. */
function checkDisk({ config }: Patient): Found {
  const isLocal = !isPostgres(config.DATABASE_URL)
  const folder = isLocal ? dirname(sqlitePath(config.DATABASE_URL)) : process.cwd()
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const size = isLocal ? statSync(sqlitePath(config.DATABASE_URL)).size : 0
  const text = `${gigabytes(free)} are free in ${folder}${isLocal ? `; the database has ${gigabytes(size)}` : ''}.`
  if (free >= Math.max(FREE_MIN, size)) return ok(text)
  return problem(text, 'Make space: delete old backups, or move the data to a larger disk.')
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

const CLOCK_MAX_MS = 30_000

/** Sessions, codes of authenticator apps and signatures of webhooks depend on the time. */
async function checkClock({ config, now }: Patient): Promise<Found> {
  const times = [await timeOfDatabase(config), await timeOfService(config)].filter((time) => time !== undefined)
  if (times.length === 0) return ok(`${now().toISOString()}; no other clock to compare with.`)
  const off = Math.max(...times.map((time) => Math.abs(time - now().getTime())))
  if (off <= CLOCK_MAX_MS) return ok(`${now().toISOString()}, as on the other machines.`)
  const text = `The clocks of this machine and of the database or the service differ by ${Math.round(off / 1000)} s.`
  return problem(text, 'Synchronize them: timedatectl set-ntp true.')
}

async function timeOfDatabase(config: Config): Promise<number | undefined> {
  if (!isPostgres(config.DATABASE_URL)) return undefined
  try {
    return await withReader({ config }, ({ db }) => loadDatabaseTime(db))
  } catch {
    // The check of the database reports it.
    return undefined
  }
}

async function timeOfService({ APP_URL }: Config): Promise<number | undefined> {
  const sent = (await ask(APP_URL))?.headers.get('date')
  return sent ? Date.parse(sent) : undefined
}

const TIMEOUT_MS = 5000

async function ask(url: string): Promise<Response | undefined> {
  try {
    return await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
  } catch {
    return undefined
  }
}

async function checkMailServer({ config }: Patient): Promise<Found> {
  if (config.SMTP_URL === undefined) {
    const text = 'SMTP_URL is not set: nobody gets mail. Invitations and new passwords go by links that you pass on.'
    return advice(text, 'Set SMTP_URL and MAIL_FROM.')
  }
  try {
    await checkMail(config)
    return ok('The mail server accepts the connection and the password.')
  } catch (error) {
    const text = `The mail server refuses: ${messageOf(error)}`
    return problem(text, 'Correct SMTP_URL.')
  }
}

async function checkProxy({ config }: Patient): Promise<Found> {
  const { APP_URL, TRUST_PROXY, HOST } = config
  const answer = await ask(APP_URL)
  if (answer === undefined) {
    const remedy = 'Start the service, or correct APP_URL, the DNS or the proxy.'
    return problem(`Nothing answers at ${APP_URL}.`, remedy)
  }
  if (!answer.ok) {
    const text = `${APP_URL}/healthz answers with HTTP ${answer.status}.`
    return problem(text, 'Correct APP_URL, or let the proxy pass this path on.')
  }
  if (APP_URL.startsWith('https:') && TRUST_PROXY === false) {
    const text = 'APP_URL is https, so there is a proxy, but its headers are ignored: all callers have its address.'
    return problem(text, 'Set TRUST_PROXY to the address of the proxy, such as loopback.')
  }
  const open = HOST === '0.0.0.0' || HOST === '::'
  if (open && (TRUST_PROXY === true || typeof TRUST_PROXY === 'number')) {
    const text = `TRUST_PROXY=${TRUST_PROXY} trusts every caller, and HOST=${HOST} lets everybody reach the port.`
    return problem(text, 'Name the addresses of the proxy instead, or set HOST=127.0.0.1.')
  }
  return ok(`The service answers at ${APP_URL}.`)
}

const BACKUP_MAX_HOURS = 26

function checkBackups({ backups, now }: Patient): Found {
  const folder = backups ?? ['/var/backups/kith', 'backups'].find((path) => existsSync(path))
  const remedy = 'Run kith backup --keep 14 FOLDER every day: docs/operate/self-hosting.md has a timer.'
  if (folder === undefined || !existsSync(folder)) {
    const text = folder === undefined ? 'No backups were found.' : `There is no folder ${folder}.`
    return advice(text, remedy)
  }
  const times = readdirSync(folder)
    .filter((name) => /\.kith(\.enc)?$/.test(name))
    .map((name) => statSync(join(folder, name)).mtimeMs)
  if (times.length === 0) return problem(`${folder} holds no backups.`, remedy)
  const hours = Math.floor((now().getTime() - Math.max(...times)) / HOUR_MS)
  const text = `The latest of ${times.length} in ${folder} is ${hours} hours old.`
  return hours <= BACKUP_MAX_HOURS ? ok(text) : problem(text, remedy)
}
