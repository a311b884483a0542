import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseId } from '@kith/contract/id'
import { HOUR_MS } from '@kith/contract/limits'
import { usedContents } from '../backup/contents.ts'
import { joined, readChains, type Span, spansOf } from '../backup/continuous/chain.ts'
import { momentsOf } from '../backup/continuous/restore-moment.ts'
import { findDamaged } from '../backup/continuous/verify-moments.ts'
import { verifyBackup } from '../backup/read-backup.ts'
import { type Config, type Environment, misspeltSettings } from '../config.ts'
import type { ContentStore, Objects } from '../contents/content-store.ts'
import { openStore } from '../contents/open-store.ts'
import { checkMail } from '../outbound/mail.ts'
import { BadConfig } from '../secret.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Db } from '../storage/engines/engine.ts'
import { fileProblem } from '../storage/engines/storage-trouble.ts'
import { foreignOrigin, isMigrated, loadApplied } from '../storage/migrations/migrate.ts'
import { loadDatabaseTime } from '../storage/tables/places.ts'
import { version } from '../version.ts'
import { type Context, defineCommand, describeFailure, messageOf } from './command.ts'
import { openPlace } from './continuous-backup.ts'
import { shownAddress, withReader } from './with-database.ts'

const ok = (text: string): CheckResult => ({ state: 'ok', text })

const advice = (text: string, remedy: string): CheckResult => ({ state: 'advice', text, remedy })

const problem = (text: string, remedy: string): CheckResult => ({ state: 'problem', text, remedy })

/** The checks by name, in the order of the report. Each ends within seconds; the last one reads a whole backup. */
const checks: Readonly<Record<string, (installation: Installation) => CheckResult | Promise<CheckResult>>> = {
  version: checkVersion,
  settings: checkSettings,
  database: checkDatabase,
  files: checkFiles,
  disk: checkDisk,
  clock: checkClock,
  mail: checkMailServer,
  proxy: checkProxy,
  backups: checkBackups,
}

const NODE_MAJOR_MIN = 26

const FREE_MIN = 1024 ** 3

const CLOCK_MAX_MS = 30_000

const TIMEOUT_MS = 5000

const BACKUP_MAX_HOURS = 26

/** The folder of the backup timer, and a folder next to the data. */
export const BACKUP_FOLDERS = ['/var/backups/kith', 'backups']

const marks = { ok: 'ok      ', advice: 'advice  ', problem: 'PROBLEM ' } as const

export const doctor = defineCommand({
  about: 'Check settings, database, files, disk, clock, mail, proxy, backups and version. Fails if there is a problem.',
  options: {
    backups: {
      value: 'FOLDER',
      about: `The folder of the backups, or the folder or bucket of a continuous one; ${BACKUP_FOLDERS.join(' and ')} by default.`,
    },
  },
  async run(values, context) {
    const findings: Finding[] = []
    try {
      const { config } = context
      const installation = {
        config,
        environment: context.environment(),
        now: context.now,
        tell: context.tell,
        ...values,
      }
      for await (const finding of examine(installation)) findings.push(finding)
    } catch (error) {
      if (!(error instanceof BadConfig)) throw error
      findings.push(...error.problems.map((text): Finding => ({ check: 'settings', state: 'problem', text })))
    }
    const failed = findings.some(({ state }) => state === 'problem')
    return { text: findings.map(lineOf).join('\n'), json: findings, failed }
  },
})

function lineOf({ check, state, text, remedy }: Finding): string {
  const line = `${marks[state]} ${check.padEnd(9)} ${text}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(19)}${remedy}`
}

/** The result of a check. `advice` is worth a look; `problem` stops or endangers the service. */
type Finding = { check: string } & CheckResult

type CheckResult = { state: 'ok' | 'advice' | 'problem'; text: string; remedy?: string }

type Installation = Pick<Context, 'config' | 'tell'> & {
  environment: Environment
  backups?: string | undefined
  now(): Date
}

async function* examine(installation: Installation): AsyncGenerator<Finding> {
  for (const [check, run] of Object.entries(checks)) yield { check, ...(await run(installation)) }
}

function checkVersion(): CheckResult {
  const text = `Kith ${version} on Node ${process.versions.node}.`
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return ok(text)
  return problem(text, `Kith needs Node ${NODE_MAJOR_MIN}: run npm ci.`)
}

function checkSettings({ config, environment }: Installation): CheckResult {
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

async function checkDatabase({ config }: Installation): Promise<CheckResult> {
  try {
    return await withReader({ config }, async (engine) => {
      const where = shownAddress(config.DATABASE_URL)
      const origin = foreignOrigin([...(await loadApplied(engine.db))])
      if (origin) return problem(`${where} was migrated by ${origin.version}.`, origin.remedy)
      if (await isMigrated(engine.db)) return ok(`${where} is at this version.`)
      const text = `${where} is not at this version.`
      return problem(text, 'Start the service or run kith migrate.')
    })
  } catch (error) {
    return problem(messageOf(error), 'Correct DATABASE_URL, or start the database.')
  }
}

/** How many of the missing contents are named. */
const NAMED = 5

/** Compares the contents of files that the database needs with those that are stored. */
async function checkFiles({ config }: Installation): Promise<CheckResult> {
  const where = config.FILES_URL.replace(/\?.*$/, '')
  const reasons: string[] = []
  try {
    return await withReader({ config }, async ({ db }) => {
      if (!(await isMigrated(db))) return ok('Checked once the database is at this version.')
      const { needed, unused } = await compare(
        db,
        openStore(config, (error) => reasons.push(String(error))),
      )
      const extra = unused.count === 0 ? '' : ` ${unused.count} (${gigabytes(unused.bytes)}) belong to no file.`
      if (needed.missing.length === 0) return ok(`All ${needed.count} contents of files are in ${where}.${extra}`)
      const some = needed.missing.slice(0, NAMED).join(', ')
      const text = `${needed.missing.length} of ${needed.count} contents of files are missing in ${where}, or have another size: ${some}.${extra}`
      return problem(text, 'Correct FILES_URL, or restore a backup and copy them from there.')
    })
  } catch (error) {
    return problem(
      `${where} cannot be read: ${reasons.join(' ') || messageOf(error)}`,
      'Correct FILES_URL and its keys.',
    )
  }
}

type Compared = { needed: { count: number; missing: string[] }; unused: { count: number; bytes: number } }

async function compare(db: Db, store: ContentStore): Promise<Compared> {
  const sizes = new Map<string, number>()
  for await (const { workspace_id, sha256, size } of usedContents(db)) sizes.set(`${workspace_id}/${sha256}`, size)
  const compared: Compared = { needed: { count: sizes.size, missing: [] }, unused: { count: 0, bytes: 0 } }
  for await (const { workspace_id, sha256, size } of store.list()) {
    const name = `${workspace_id}/${sha256}`
    if (sizes.get(name) === size) sizes.delete(name)
    else if (!sizes.has(name)) {
      compared.unused.count++
      compared.unused.bytes += size
    }
  }
  compared.needed.missing = [...sizes.keys()]
  return compared
}

/** A migration and a backup may each need as much space as the database. */
function checkDisk({ config }: Installation): CheckResult {
  const isLocal = !isPostgres(config.DATABASE_URL)
  const folder = isLocal ? dirname(sqlitePath(config.DATABASE_URL)) : process.cwd()
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const size = isLocal ? statSync(sqlitePath(config.DATABASE_URL)).size : 0
  const text = `${gigabytes(free)} are free in ${folder}${isLocal ? `; the database takes ${gigabytes(size)}` : ''}.`
  if (free >= Math.max(FREE_MIN, size)) return ok(text)
  return problem(text, 'Make space: delete old backups, or move the data to a larger disk.')
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

/** Sessions, codes of authenticator apps and signatures of webhooks depend on the time. */
async function checkClock({ config, now }: Installation): Promise<CheckResult> {
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
    // The check of the database reports the error.
    return undefined
  }
}

async function timeOfService({ APP_URL }: Config): Promise<number | undefined> {
  const sent = (await ask(APP_URL))?.headers.get('date')
  return sent ? Date.parse(sent) : undefined
}

async function ask(url: string): Promise<Response | undefined> {
  try {
    return await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
  } catch {
    return undefined
  }
}

async function checkMailServer({ config }: Installation): Promise<CheckResult> {
  if (config.SMTP_URL === undefined) {
    const text =
      'SMTP_URL is not set, so Kith sends no mail. Pass on the links for invitations and new passwords yourself.'
    return advice(text, 'Set SMTP_URL and MAIL_FROM.')
  }
  try {
    await checkMail(config)
    return ok('The mail server accepts the connection and the password.')
  } catch (error) {
    const text = `The mail server cannot be used: ${messageOf(error)}`
    return problem(text, 'Correct SMTP_URL.')
  }
}

async function checkProxy({ config }: Installation): Promise<CheckResult> {
  const { APP_URL, TRUST_PROXY, HOST } = config
  const answer = await ask(APP_URL)
  if (answer === undefined) {
    const remedy = 'Start the service. If it runs, set PORT or APP_URL as it has them, or correct the DNS or the proxy.'
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

async function checkBackups(installation: Installation): Promise<CheckResult> {
  const { backups, now } = installation
  const places = backups === undefined ? BACKUP_FOLDERS.flatMap((one) => [one, join(one, CONTINUOUS)]) : [backups]
  const looked: BackupPlace[] = []
  for (const place of places) looked.push(await backupsAt(place, installation))
  const shown = looked.filter(({ place, exists }) => exists || !place.endsWith(CONTINUOUS))
  const where = `Backups in ${shown.map(({ place, note }) => `${place}: ${note}`).join('; in ')}.`
  const remedy = 'Run kith backup --keep 14 FOLDER every day: docs/operate/backups.md has a timer.'
  const latest = looked.map(({ latest }) => latest).sort((one, other) => (other?.at ?? 0) - (one?.at ?? 0))[0]
  if (latest === undefined) {
    const result = looked.some(({ exists }) => exists) ? problem : advice
    return result(`${where} None was found.`, `${remedy} If they are elsewhere, name the folder with --backups.`)
  }
  const age = now().getTime() - latest.at
  const hours = Math.floor(age / HOUR_MS)
  const { what, trouble } = await latest.check()
  const text = `The latest backup is ${hours} h old. ${what} ${where}`
  if (trouble) return problem(text, 'Make a new backup, and find out what has changed or removed this one.')
  return age <= latest.max_ms ? ok(text) : problem(text, latest.remedy ?? remedy)
}

type Checked = { what: string; trouble: boolean }

type Latest = { at: number; max_ms: number; remedy?: string; check(): Promise<Checked> | Checked }

type BackupPlace = { place: string; latest?: Latest; exists: boolean; note: string }

/** A continuous backup says every half minute that nothing has changed. */
const CONTINUOUS_MAX_MS = 15 * 60_000

/** Where `deploy/kith-continuous.service` writes, below the folder of the other backups. */
const CONTINUOUS = 'continuous'

async function backupsAt(named: string, installation: Installation): Promise<BackupPlace> {
  const isAddress = /^[a-z0-9]+:/.test(named)
  const place = isAddress ? named : resolve(named)
  if (!isAddress && !existsSync(place)) return { place, exists: false, note: 'no such folder' }
  try {
    const names = isAddress ? [] : readdirSync(place)
    const files = names.filter((name) => /\.kith(\.enc)?$/.test(name)).map((name) => join(place, name))
    const [newest] = files.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((one, other) => other.at - one.at)
    if (newest) {
      const { path, at } = newest
      const latest = { at, max_ms: BACKUP_MAX_HOURS * HOUR_MS, check: () => checkFile(path) }
      return { place, latest, exists: true, note: String(files.length) }
    }
    // Every folder has a name that is an id.
    if (!isAddress && !names.some((name) => parseId(name) === name)) return { place, exists: true, note: '0' }
    const objects = openPlace(place, installation)
    const spans = spansOf(await readChains(objects))
    const remedy = 'Start it again: docs/operate/backups.md.'
    const check = () => checkLast(objects, spans.at(-1))
    const latest = { at: joined(spans).at(-1)?.to ?? 0, max_ms: CONTINUOUS_MAX_MS, remedy, check }
    return { place, latest, exists: true, note: 'continuous' }
  } catch (error) {
    return { place, exists: true, note: fileProblem(error) ?? messageOf(error) }
  }
}

async function checkFile(path: string): Promise<Checked> {
  if (path.endsWith('.enc')) {
    return { what: `It is encrypted: kith backup --verify --key KEY ${path} reads it.`, trouble: false }
  }
  try {
    const { rows } = await verifyBackup(path)
    return { what: `It is complete: ${rows} rows.`, trouble: false }
  } catch (error) {
    return { what: describeFailure(error), trouble: true }
  }
}

async function checkLast(objects: Objects, last: Span | undefined): Promise<Checked> {
  if (!last) return { what: 'It has no complete copy of the database, so nothing can be restored.', trouble: true }
  const damaged = await findDamaged(objects, { segments: last.segments, copies: [last.copy] })
  if (damaged.size > 0) return { what: `Damaged or missing: ${[...damaged].join(', ')}.`, trouble: true }
  return { what: last.gap ?? momentsOf([last]), trouble: last.gap !== undefined }
}
