import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { authenticate } from '../accounts/authenticate.ts'
import { type SignIn, signInWith } from '../accounts/identify.ts'
import { touchConnection } from '../accounts/oauth/connections.ts'
import { settleConsent } from '../accounts/oauth/consent.ts'
import { grantsIn } from '../accounts/oauth/grants.ts'
import { type OAuth, oauthOver } from '../accounts/oauth/oauth.ts'
import { oauthTargets } from '../accounts/oauth/targets.ts'
import { setUpToken } from '../accounts/set-up.ts'
import { knownDevices } from '../accounts/sign-in/known-devices.ts'
import { spendRegistration } from '../accounts/sign-in/registration-limit.ts'
import { spendAttempt } from '../accounts/sign-in/sign-in-limit.ts'
import { signInLookups } from '../accounts/sign-in/sign-in-lookups.ts'
import { takeStripeEvent } from '../accounts/stripe-events.ts'
import { type Bearer, touchToken } from '../accounts/tokens.ts'
import { hasNoUsers } from '../accounts/users.ts'
import { findVisitor, requireGoodSession, visitsNotedIn } from '../accounts/visits.ts'
import { openInlineLanes } from '../calls/inline-lanes.ts'
import type { Lanes } from '../calls/lanes.ts'
import { openReplicaLanes } from '../calls/replica-lanes.ts'
import { openSqliteLanes } from '../calls/threaded-lanes.ts'
import { Failure, messageOf } from '../commands/failure.ts'
import { asOpening } from '../commands/with-database.ts'
import type { Config } from '../config.ts'
import type { WebParts } from '../http/app/web-parts.ts'
import type { AppParts } from '../http/parts.ts'
import { buildApp } from '../http/server.ts'
import { kindOfMessage } from '../mcp/request.ts'
import type { Runtime } from '../scope/scope.ts'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { type DatabaseSettings, openEngine } from '../storage/engines/open-engine.ts'
import { identityOf } from '../storage/engines/sqlite/file.ts'
import { isMigrated, migrate } from '../storage/migrations/migrate.ts'
import { loadSessionIdsIn } from '../storage/tables/sessions.ts'
import { watchChanges } from './live-updates.ts'
import { mailWith } from './mail.ts'
import { openObservability } from './observability.ts'
import { limitWith, type RateLimits, type Spend, sessionLimitWith, spendInMemory } from './rate-limit.ts'
import { spendInDatabase } from './rate-limit-windows.ts'
import { type StorageWatch, watchStorage } from './storage-watch.ts'
import { keepUp, type Upkeep } from './upkeep.ts'
import { welcome } from './welcome.ts'

const SHUTDOWN_MS = 25_000
const NOTE_USE_EVERY_MS = 60_000

/** Brings the database up to date, puts the service together and listens until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  const destination = pino.destination({ sync: false, minLength: 4096 })
  const logger = pino({ level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const flushing = setInterval(() => destination.flush(), 500)
  flushing.unref()
  const { engine, lanes, spend } = await asOpening(config, () => openParts(config))
  const observability = await openObservability(config, engine, lanes)
  const storage = watchStorage()
  let stopping = false
  let upkeep: Upkeep | undefined
  const signIn = signInWith(engine, config, (error) => logger.error({ bug: String(error) }, 'Sign-in failed inside.'))
  const oauth = oauthOver(signIn.handle, {
    app_url: config.APP_URL,
    resources: oauthTargets(config),
    grants: grantsIn({ engine, now: () => new Date() }),
  })
  const app = buildApp({
    perform: watched(lanes.perform, storage),
    limiter: limitWith(spend, limitsOf(config)),
    authenticate: (header, now) => authenticate(engine, header, now),
    isBusy(error) {
      storage.met(error)
      return engine.violation(error) === 'busy'
    },
    unready: () => (stopping ? Promise.resolve('The service is stopping.') : whyUnready(engine, storage)),
    noteUse: usesNotedIn(engine, (error) =>
      logger.warn({ error: String(error) }, 'The use of a token could not be noted.'),
    ),
    now: () => new Date(),
    hosted: config.HOSTED,
    app_url: config.APP_URL,
    default_host: new URL(config.APP_URL).host,
    api_domain: config.API_DOMAIN,
    mcp_domain: config.MCP_DOMAIN,
    mcp: { kindOfMessage },
    oauth,
    spendRegistration: (address) => spendRegistration(spend, registrationLimits(config), address),
    workspace_policy: { creators: config.WORKSPACE_CREATION, per_account: config.WORKSPACES_PER_ACCOUNT },
    trust_proxy: config.TRUST_PROXY,
    request_seconds: config.REQUEST_SECONDS,
    logger,
    shedder: observability.shedder,
    observers: observability.observers,
    metrics: observability.metrics,
    takeStripeEvent: stripeEvents(engine, config),
    web: webParts(engine, config, { spend, logger, signIn, oauth, wipeSoon: () => upkeep?.wipeSoon() }),
  })
  try {
    await listen(app, config)
    lanes.start()
    process.stdout.write(welcome(config, (await hasNoUsers(engine.db)) ? setUpToken(config.SECRET) : undefined))
    upkeep = keepUp(engine, {
      now: () => new Date(),
      onFailure: (error) =>
        logger.warn({ error: String(error) }, 'What is kept for a time only could not be put away.'),
      idle_hours: config.SESSION_IDLE_HOURS,
    })
    await untilToldToStop()
    stopping = true
    // Whoever spreads requests over several nodes has seen by then that this one takes no more.
    if (config.DRAIN_SECONDS > 0) await setTimeout(config.DRAIN_SECONDS * 1000)
  } finally {
    let left = 'requests under way'
    const overdue = globalThis.setTimeout(() => {
      logger.fatal({ left, open: process.getActiveResourcesInfo() }, 'The service did not stop in time.')
      destination.flushSync()
      process.exit(1)
    }, SHUTDOWN_MS)
    // Whoever is still not answered then is cut off, so that the database is closed in order.
    const impatient = globalThis.setTimeout(() => {
      logger.warn('Requests that were still under way have been cut off.')
      app.server.closeAllConnections()
    }, SHUTDOWN_MS - 5000)
    upkeep?.stop()
    await app.close()
    clearTimeout(impatient)
    left = 'the database'
    await lanes.close()
    left = 'metrics'
    await observability.close()
    clearTimeout(overdue)
    destination.flushSync()
  }
}

async function listen(app: ReturnType<typeof buildApp>, { PORT: port, HOST: host }: Config): Promise<void> {
  try {
    await app.listen({ port, host })
  } catch (error) {
    throw new Failure(`The service cannot listen on port ${port} of ${host}: ${messageOf(error)}`)
  }
}

/** Only hosted installations sell subscriptions. */
function stripeEvents(engine: Engine, config: Config): AppParts['takeStripeEvent'] {
  const { HOSTED, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (!HOSTED || webhookSecret === undefined) return undefined
  return (sent) => takeStripeEvent(engine, { webhookSecret }, sent)
}

type SharedParts = { spend: Spend; logger: Logger; signIn: SignIn; oauth: OAuth; wipeSoon(): void }

/** What the web application's private API needs. */
function webParts(engine: Engine, config: Config, { spend, logger, signIn, oauth, wipeSoon }: SharedParts): WebParts {
  const warn = (error: unknown) => logger.warn({ error: String(error) }, 'The use of a session could not be noted.')
  const settings = {
    secret: config.SECRET,
    secure: config.APP_URL.startsWith('https:'),
    idle_hours: config.SESSION_IDLE_HOURS,
  }
  const limits = { account: config.SIGN_IN_LIMIT_ACCOUNT, address: config.SIGN_IN_LIMIT_ADDRESS }
  const runtime: Runtime = { engine, secret: config.SECRET, now: () => new Date() }
  let isSetUp = false
  return {
    signIn,
    findVisitor: (visit) => findVisitor(engine, settings, visit),
    noteVisit: visitsNotedIn(engine, warn),
    spendAttempt: (attempt) => spendAttempt(spend, limits, attempt),
    spendOfUser: sessionLimitWith(spend, config.RATE_LIMIT_SESSION),
    devices: knownDevices(settings),
    async needsSetUp() {
      // Whoever has an account keeps it, so that there is no need to ask again.
      isSetUp ||= !(await hasNoUsers(engine.db))
      return !isSetUp
    },
    sendMail: mailWith(config),
    wipeSoon,
    changes: watchChanges(runtime, (error) =>
      logger.warn({ error: String(error) }, 'Whether anything has changed could not be asked.'),
    ),
    sessionsIn: (workspaceId) => loadSessionIdsIn(engine.db, workspaceId, new Date().toISOString()),
    settleConsent: ({ user_id }, input, caller) => {
      const admit = async (slug: string) => {
        const visitor = await findVisitor(engine, settings, { cookie: caller.cookie, slug, now: new Date() })
        if (visitor?.role) requireGoodSession(visitor)
      }
      return settleConsent(runtime, { user_id, admit, settle: oauth.settle(caller) }, input)
    },
    ...signInLookups(engine, settings),
    site: { provider: providerName(config), idle_hours: config.SESSION_IDLE_HOURS },
    provider:
      providerName(config) === null ? undefined : { rules: config.OIDC_MEMBERSHIP, strong: config.OIDC_SECOND_FACTOR },
  }
}

function providerName({ OIDC_ISSUER, OIDC_NAME }: Config): string | null {
  return OIDC_ISSUER === undefined ? null : OIDC_NAME
}

function limitsOf(config: Config): RateLimits {
  return {
    workspace: config.RATE_LIMIT_WORKSPACE,
    reads: config.RATE_LIMIT_READS,
    writes: config.RATE_LIMIT_WRITES,
  }
}

function registrationLimits({ REGISTER_LIMIT_ADDRESS: address, REGISTER_LIMIT_TOTAL: total }: Config) {
  return { address, total }
}

type Parts = { engine: Engine; lanes: Lanes; spend: Spend }

async function openParts(config: Config): Promise<Parts> {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret } = config
  const opened = await openMigrated({ url, connections })
  if (isPostgres(url)) {
    return { engine: opened, lanes: postgresLanes(opened, config), spend: spendInDatabase(opened) }
  }
  // From here on the writer thread is the one that writes, and the file must be there.
  const file = identityOf(sqlitePath(url))
  await opened.close()
  const readers = config.READER_THREADS ?? Math.max(2, availableParallelism())
  const settings = { url, secret, file, query_seconds: config.QUERY_SECONDS }
  return { ...openSqliteLanes(settings, readers), spend: spendInMemory() }
}

function postgresLanes(
  engine: Engine,
  { DATABASE_READ_URL: url, DATABASE_CONNECTIONS: connections, SECRET: secret, QUERY_SECONDS: query_seconds }: Config,
): Lanes {
  const primary: Runtime = { engine, secret, query_seconds, now: () => new Date() }
  if (url === undefined) return openInlineLanes(primary, connections)
  const replica = openEngine({ url, connections }, { writes: false })
  return openReplicaLanes(primary, { ...primary, engine: replica }, connections)
}

async function openMigrated(settings: DatabaseSettings): Promise<Engine> {
  const engine = openEngine(settings, { writes: true })
  try {
    await migrate(engine, new Date())
    return engine
  } catch (error) {
    // Open connections would keep a process alive that cannot start.
    await engine.close()
    throw error
  }
}

async function whyUnready(engine: Engine, storage: StorageWatch): Promise<string | undefined> {
  try {
    await engine.ping()
    return (await isMigrated(engine.db)) ? storage.why() : 'The database is not at this version.'
  } catch (error) {
    return storage.why(error) ?? 'The database cannot be reached.'
  }
}

function watched(perform: AppParts['perform'], storage: StorageWatch): AppParts['perform'] {
  return async (call, isGone) => storage.saw(await perform(call, isGone))
}

/** Notes when a token was last used, to the minute, without making its request wait. */
function usesNotedIn(engine: Engine, onFailure: (error: unknown) => void): (bearer: Bearer, now: Date) => void {
  const noted = new Map<string, number>()
  return ({ token_id, last_used_at, connection }, now) => {
    const last = noted.get(token_id) ?? (last_used_at === null ? 0 : Date.parse(last_used_at))
    if (now.getTime() - last < NOTE_USE_EVERY_MS) return
    if (noted.size > 10_000) noted.clear()
    noted.set(token_id, now.getTime())
    const touch = connection ? touchConnection : touchToken
    touch(engine, token_id, now).catch(onFailure)
  }
}

function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
