import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Role, roles } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import {
  CHANGES_DAYS,
  CHANGES_DAYS_MAX,
  CHANGES_DAYS_MIN,
  CLIENTS_IN_ALL,
  CLIENTS_PER_ADDRESS,
  FILE_MAX_MB,
  FILE_MAX_MB_LIMIT,
  FILES_WORKSPACE_MB,
  IMPORT_MAX_MB,
  QUERY_SECONDS_DEFAULT,
  RATE_ITEMS,
  RATE_READS,
  RATE_SESSION,
  RATE_WORKSPACE,
  RATE_WRITES,
  RETRY_SECONDS,
  SESSION_IDLE_HOURS,
  SIGN_IN_PER_ACCOUNT,
  SIGN_IN_PER_ADDRESS,
  WORKSPACES_PER_ACCOUNT,
} from '@kith/contract/limits'
import { nearest, suggestion } from '@kith/contract/nearest'
import * as z from 'zod'
import { FILES_FORMS, filesNextTo, parseFilesUrl } from './contents/files-url.ts'
import { hostAndPort, parseAllowedHosts, type UrlRules } from './outbound/allowed-url.ts'
import { BadConfig, readSecretFiles, SECRET_MIN, SECRET_NAMES, storedSecret } from './secret.ts'
import { hostsProblem, isPostgres, sqlitePath } from './storage/engines/database-url.ts'

const RULE = /^(?<domain>[a-z0-9][a-z0-9.-]{0,252})=(?<slug>[a-z0-9][a-z0-9-]{0,62})(:(?<role>[a-z]{1,10}))?$/

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Who may create workspaces in the application: every user, owners and admins, or only the command line. */
const WORKSPACE_CREATORS = ['everyone', 'admins', 'operator'] as const

const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal'])

const PREFIX = 'KITH_'

/** Those of the commands that call a service over HTTP. The service ignores them. */
const CLIENT_VARIABLES = ['KITH_URL', 'KITH_TOKEN']

const REPLICA_OF_A_FILE = 'DATABASE_READ_URL: a file has no replica. It is accepted where DATABASE_URL is postgres://…'

/** The message of each schema says what the variable accepts. */
const schema = z.object({
  PORT: whole(0, 65_535).default(3000),
  HOST: parsed(parseListenHost, 'an address to listen on, such as 0.0.0.0, 127.0.0.1 or ::').default('0.0.0.0'),
  DATABASE_URL: parsed(parseDatabase, 'file: and a path, or postgres://user:password@host/database').default(
    'file:./data/kith.db',
  ),
  DATABASE_READ_URL: matching(
    /^postgres(ql)?:\/\/\S+$/,
    'postgres://user:password@host/database, a replica of DATABASE_URL',
  ).optional(),
  DATABASE_CONNECTIONS: whole(1, 1000).default(10),
  APP_URL: parsed(parseOrigin, 'an address such as https://crm.example.com, without a path').optional(),
  API_DOMAIN: parsed(parseHost, 'a host name such as api.example.com, without a scheme or a path').optional(),
  MCP_DOMAIN: parsed(parseHost, 'a host name such as mcp.example.com, without a scheme or a path').optional(),
  TRUST_PROXY: parsed(
    parseTrust,
    'true, false, the number of proxies, or a comma list of their addresses or networks',
  ).default(false),
  CORS_ORIGINS: parsed(
    parseOrigins,
    '*, or a comma list of origins such as https://app.example.com, without a path',
  ).default([]),
  SECRET: z.string().min(SECRET_MIN, `at least ${SECRET_MIN} random characters`).optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, oneOf(LOG_LEVELS)).default('info'),
  HOSTED: parsed(parseFlag, 'true or false').default(false),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_PRICE_ID: z.string().optional(),
  SMTP_URL: matching(/^smtps?:\/\/[^\s/]/, 'an address such as smtp://user:password@mail.example.com:587').optional(),
  MAIL_FROM: matching(
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/,
    'an address such as Kith <kith@example.com>',
  ).optional(),
  RATE_LIMIT_WORKSPACE: whole(0, 1_000_000_000).default(RATE_WORKSPACE),
  RATE_LIMIT_READS: whole(0, 1_000_000_000).default(RATE_READS),
  RATE_LIMIT_WRITES: whole(0, 1_000_000_000).default(RATE_WRITES),
  RATE_LIMIT_ITEMS: whole(0, 1_000_000_000).default(RATE_ITEMS),
  RATE_LIMIT_SESSION: whole(0, 1_000_000_000).default(RATE_SESSION),
  SIGN_IN_LIMIT_ACCOUNT: whole(0, 1_000_000).default(SIGN_IN_PER_ACCOUNT),
  SIGN_IN_LIMIT_ADDRESS: whole(0, 1_000_000).default(SIGN_IN_PER_ADDRESS),
  REGISTER_LIMIT_ADDRESS: whole(0, 1_000_000).default(CLIENTS_PER_ADDRESS),
  REGISTER_LIMIT_TOTAL: whole(0, 1_000_000).default(CLIENTS_IN_ALL),
  WORKSPACES_PER_ACCOUNT: whole(0, 1_000_000).default(WORKSPACES_PER_ACCOUNT),
  WORKSPACE_CREATION: z.enum(WORKSPACE_CREATORS, oneOf(WORKSPACE_CREATORS)).default('everyone'),
  SESSION_IDLE_HOURS: whole(0, 8760).default(SESSION_IDLE_HOURS),
  OIDC_ISSUER: parsed(parseIssuer, 'the address of the provider, such as https://login.example.com').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(50, 'a name of at most 50 characters').default('single sign-on'),
  OIDC_MEMBERSHIP: parsed(
    parseDomainRules,
    'a comma list of domain=workspace:role, such as example.com=acme:member, with the role admin, member or viewer',
  ).default([]),
  OIDC_SECOND_FACTOR: parsed(parseFlag, 'true or false').default(false),
  READER_THREADS: whole(1, 64).optional(),
  CHANGES_DAYS: whole(CHANGES_DAYS_MIN, CHANGES_DAYS_MAX).default(CHANGES_DAYS),
  IMPORT_MAX_MB: whole(1, 10_000).default(IMPORT_MAX_MB),
  FILES_URL: parsed((text) => (parseFilesUrl(text) ? text : undefined), FILES_FORMS).optional(),
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
  FILE_MAX_MB: whole(1, FILE_MAX_MB_LIMIT).default(FILE_MAX_MB),
  FILES_WORKSPACE_MB: whole(0, 1_000_000_000).default(FILES_WORKSPACE_MB),
  WEBHOOK_ALLOW_PRIVATE: parsed(
    parseAllowedHosts,
    'a comma list of hosts, addresses and networks, such as receiver.internal, 10.0.0.5 or 10.1.0.0/16',
  ).default({ hosts: [], networks: [] }),
  CLIENT_DOCUMENT_ALLOW_PRIVATE: parsed(
    parseAllowedHosts,
    'a comma list of hosts, addresses and networks, such as assistant.internal, 10.0.0.5 or 10.1.0.0/16',
  ).default({ hosts: [], networks: [] }),
  WEBHOOK_RETRIES: parsed(parseDelays, 'a comma list of up to 50 delays in seconds, such as 5,300,1800').default([
    ...RETRY_SECONDS,
  ]),
  QUERY_SECONDS: whole(0, 3600).default(QUERY_SECONDS_DEFAULT),
  DRAIN_SECONDS: whole(0, 300).default(0),
  REQUEST_SECONDS: whole(1, 3600).default(60),
  REQUESTS_AT_ONCE: whole(1, 1_000_000).default(1000),
  METRICS_TOKEN: z.string().min(16, 'at least 16 random characters').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: matching(/^https?:\/\/[^\s/]/, 'an address such as http://localhost:4318').optional(),
  OTEL_SERVICE_NAME: z.string().default('kith'),
})

/** Named as in the environment, so that one search finds every use of a setting. */
export type Config = Readonly<z.infer<typeof schema> & { APP_URL: string; FILES_URL: string; SECRET: string }>

export type Environment = Readonly<Record<string, string | undefined>>

/** Checks everything before it throws, so that one start reports all problems. */
export function readConfig(env: Environment, { creates } = { creates: true }): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const fromFiles = readSecretFiles(given)
  const result = schema.safeParse({ ...given, ...fromFiles.values })
  const issues = result.error?.issues ?? []
  const problems = [
    ...fromFiles.problems,
    ...issues.map((issue) => problemOf(String(issue.path[0]), issue.message, given)),
    ...Object.keys(given)
      .filter((name) => name.startsWith(PREFIX) && !CLIENT_VARIABLES.includes(name))
      .map(unknownVariable),
  ]
  if (result.data?.DATABASE_READ_URL !== undefined && !isPostgres(result.data.DATABASE_URL))
    problems.push(REPLICA_OF_A_FILE)
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'] as const) {
    const url = result.data?.[name]
    const problem = url !== undefined && isPostgres(url) ? hostsProblem(url) : undefined
    if (problem !== undefined) problems.push(`${name}: ${problem}`)
  }
  problems.push(...missingForOidc(result.data), ...missingForBucket(result.data))
  if (!result.success || problems.length > 0) throw new BadConfig(problems)
  const config = result.data
  if (!creates) refuseMissing(config.DATABASE_URL)
  return {
    ...config,
    APP_URL: config.APP_URL ?? `http://localhost:${config.PORT}`,
    FILES_URL: config.FILES_URL ?? filesNextTo(config.DATABASE_URL),
    SECRET: config.SECRET ?? storedSecret(config.DATABASE_URL, creates),
  }
}

/** A mistyped path must not create a second, empty installation. */
function refuseMissing(url: string): void {
  if (isPostgres(url) || existsSync(sqlitePath(url))) return
  throw new BadConfig([
    `DATABASE_URL: there is no database at ${sqlitePath(url)}. ` +
      `This folder is ${process.cwd()}${existsSync('.env') ? '' : ', which has no .env'}. ` +
      'Run this in the folder of the service, correct DATABASE_URL, or run kith migrate to make a new database.',
  ])
}

/** Secrets are never printed, not even wrong ones, because the line is logged. */
function problemOf(name: string, accepted: string, given: Environment): string {
  const secret = SECRET_NAMES.includes(name)
  const value = secret ? 'the value given' : `"${excerpt(given[name] ?? '')}"`
  return `${name}: ${value} is not accepted. It must be ${accepted}.`
}

/** A provider needs all three settings. */
function missingForOidc(given: Partial<z.infer<typeof schema>> = {}): string[] {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  const missing = names.filter((name) => given[name] === undefined)
  if (missing.length === 0 || missing.length === names.length) return []
  return [`${missing.join(' and ')}: missing. Sign-in through a provider takes ${names.join(', ')}.`]
}

/** A bucket needs both keys. */
function missingForBucket(given: Partial<z.infer<typeof schema>> = {}): string[] {
  const missing = (['S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const).filter((name) => given[name] === undefined)
  if (missing.length === 0 || !given.FILES_URL?.startsWith('s3:')) return []
  return [`${missing.join(' and ')}: missing. A bucket in FILES_URL takes S3_ACCESS_KEY and S3_SECRET_KEY.`]
}

/**
 * Names that are nearly those of settings. They are reported and not refused, because the environment also holds
 * variables of other programs.
 */
export function misspeltSettings(env: Environment): string[] {
  const known = Object.keys(schema.shape).flatMap((name) =>
    SECRET_NAMES.includes(name) ? [name, `${name}_FILE`] : [name],
  )
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.includes(name) || name.startsWith(PREFIX)) return []
    const meant = nearest(
      name,
      known.filter((setting) => differInOneWord(name, setting)),
    )
    if (meant === undefined) return []
    return [`${name} is not a setting of Kith and is ignored. Did you mean ${meant}?`]
  })
}

function differInOneWord(name: string, meant: string): boolean {
  const [words, others] = [name.split('_'), meant.split('_')]
  return words.length > 1 && words.length === others.length && words.filter((w, i) => w !== others[i]).length === 1
}

function unknownVariable(name: string): string {
  const bare = name.slice(PREFIX.length)
  const known = Object.keys(schema.shape)
  const accepted = `Accepted: ${known.join(', ')}.${suggestion(bare, known)}`
  return `${name}: no such setting; none begins with ${PREFIX}. ${accepted}`
}

function whole(least: number, most: number) {
  const accepted = `a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,10}$/, { message: accepted, abort: true })
    .transform(Number)
    .refine((number) => number >= least && number <= most, accepted)
}

function matching(pattern: RegExp, accepted: string) {
  return z.string().regex(pattern, accepted)
}

function parsed<T>(parse: (text: string) => T | undefined, accepted: string) {
  return z.string().transform((text, context) => {
    const value = parse(text.trim())
    if (value !== undefined) return value
    context.addIssue(accepted)
    return z.NEVER
  })
}

function oneOf(words: readonly string[]): string {
  return `one of ${words.join(', ')}`
}

function parseListenHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined
}

function parseDatabase(text: string): string | undefined {
  if (/^file:(\/\/)?[^/?\s]|^file:(\/\/)?\/+[^/?\s]/.test(text)) return text
  // Several hosts are no URL. What is wrong with them is told after this.
  const isAddress = URL.canParse(text) || /^\w+:\/\/[^/?#]*,/.test(text)
  return /^postgres(ql)?:\/\//.test(text) && isAddress ? text : undefined
}

function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  const bare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return bare ? url.origin : undefined
}

function parseOrigins(text: string): '*' | string[] | undefined {
  if (text === '*') return '*'
  const origins = text.split(',').map((origin) => parseOrigin(origin.trim()))
  return origins.includes(undefined) ? undefined : origins.filter((origin) => origin !== undefined)
}

/** Not normalized: the provider's tokens must name exactly this issuer. */
function parseIssuer(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  return url.search === '' && url.hash === '' && url.username === '' && url.password === '' ? text : undefined
}

function parseHost(text: string): string | undefined {
  const host = text.toLowerCase()
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/.test(host) ? host : undefined
}

function parseTrust(text: string): boolean | number | string[] | undefined {
  const flag = text === '0' || text === '1' ? Number(text) : parseFlag(text)
  if (flag !== undefined) return flag === 0 ? false : flag
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const networks = text.split(',').map((network) => network.trim())
  return networks.every(isNetwork) ? networks : undefined
}

function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.has(text)) return true
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

const DELAY_MAX_SECONDS = 30 * 24 * 3600

function parseDelays(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const isDelay = (part: string) => /^\d{1,7}(\.\d{1,3})?$/.test(part) && Number(part) <= DELAY_MAX_SECONDS
  return parts.length <= 50 && parts.every(isDelay) ? parts.map(Number) : undefined
}

function parseFlag(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  return undefined
}

/** Which URLs webhooks can have: not those of this installation, on the port where it listens. */
export function urlRulesOf(config: Config, port: number): UrlRules {
  const { APP_URL, API_DOMAIN, MCP_DOMAIN, WEBHOOK_ALLOW_PRIVATE: allow } = config
  const domains = [API_DOMAIN, MCP_DOMAIN].flatMap((domain) => (domain === undefined ? [] : `https://${domain}`))
  const named = [APP_URL, ...domains].map((url) => hostAndPort(new URL(url)))
  const local = Object.values(networkInterfaces()).flatMap((some) => some?.map(({ address }) => address) ?? [])
  return { allow, own: [...named, ...['localhost', '0.0.0.0', '::', ...local].map((host) => `${host}:${port}`)] }
}

/** Users with a verified address at this domain join this workspace at their first sign-in with the provider. */
export type DomainRule = { domain: string; slug: string; role: Role }

/** Reads `example.com=acme:member, example.org=acme:viewer`. The role owner is not accepted. */
export function parseDomainRules(text: string): DomainRule[] | undefined {
  const rules = text.split(',').map((rule) => parseRule(rule.trim().toLowerCase()))
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

function parseRule(text: string): DomainRule | undefined {
  const { domain, slug, role: named = 'member' } = RULE.exec(text)?.groups ?? {}
  const role = roles.find((known) => known === named && known !== 'owner')
  return domain === undefined || slug === undefined || role === undefined ? undefined : { domain, slug, role }
}

/** The rules for an email address. */
export function rulesFor(rules: readonly DomainRule[], email: string): DomainRule[] {
  const at = email.lastIndexOf('@')
  const domain = at === -1 ? '' : email.slice(at + 1).toLowerCase()
  return rules.filter((rule) => rule.domain === domain)
}
