import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { authenticate } from '../accounts/authenticate.ts'
import { signInWith } from '../accounts/identify.ts'
import { setUpToken } from '../accounts/set-up.ts'
import { takeStripeEvent } from '../accounts/stripe-events.ts'
import { Failure, messageOf } from '../commands/failure.ts'
import { asOpening, shownAddress } from '../commands/with-database.ts'
import { type Config, misspeltSettings } from '../config.ts'
import type { AppParts } from '../http/parts.ts'
import { buildApp } from '../http/server.ts'
import { openExports } from '../http/v1/places.ts'
import { openWaiting } from '../http/v1/waiting.ts'
import { storeFile } from '../jobs/store-file.ts'
import { openWorker, type Worker } from '../jobs/worker.ts'
import { costOfMessage } from '../mcp/request.ts'
import type { Runtime } from '../scope/scope.ts'
import { version } from '../scope/version.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { isMigrated } from '../storage/migrations/migrate.ts'
import { hasUser } from '../storage/tables/accounts.ts'
import { deleteFile } from '../storage/tables/jobs.ts'
import { replaceLastUsedAt } from '../storage/tables/tokens.ts'
import { type Dispatcher, openDispatcher } from '../webhooks/dispatch/dispatcher.ts'
import { attempt } from '../webhooks/send/attempt.ts'
import { openSender } from '../webhooks/send/sender.ts'
import { watchFeed } from './live-updates.ts'
import { openLog } from './log.ts'
import { mailWith } from './mail.ts'
import { openObservability, type StorageWatch, watchStorage } from './observability.ts'
import { openParts } from './open-parts.ts'
import { limitWith, type RateLimits } from './rate-limit.ts'
import { endRequests, stopInTime } from './stop-in-time.ts'
import { keepUp, type Upkeep } from './upkeep.ts'
import { urlRulesOf } from './url-rules.ts'
import { noteUses, openOAuth, openWebParts } from './web-parts.ts'
import { addressesOf, welcome } from './welcome.ts'

/**
 * What surrounds the service: where it prints what to do next, what stops it, the module that its threads run, and how
 * people call the command line.
 */
type Surroundings = { print(text: string): void; untilStopped(): Promise<string>; threads: URL; program: string }

const ofProcess: Surroundings = {
  // Standard output is for the log.
  print: (text) => process.stderr.write(text),
  untilStopped: untilStopSignal,
  threads: new URL('./thread-entry.ts', import.meta.url),
  program: programIn(new URL('../../../kith', import.meta.url)),
}

/** Migrates the database, builds the service and listens until a signal stops it. */
export async function serve(config: Config, { print, untilStopped, threads, program } = ofProcess): Promise<void> {
  const log = openLog(config.LOG_LEVEL)
  const { logger } = log
  const { engine, lanes, spend } = await asOpening(config, () => openParts(config, threads))
  const observability = await openObservability(config, engine, lanes)
  const storage = watchStorage()
  let stopping = false
  let upkeep: Upkeep | undefined
  let worker: Worker | undefined
  let dispatcher: Dispatcher | undefined
  const signIn = signInWith(engine, config, (error) =>
    logger.error({ bug: String(error) }, 'Sign-in failed with an internal error.'),
  )
  const limits = limitsOf(config)
  const runtime: Runtime = { engine, secret: config.SECRET, now: () => new Date() }
  const urlRules = () => urlRulesOf(config, portIn(app.server) ?? config.PORT)
  const { oauth, ...clients } = openOAuth(runtime, config, { identify: signIn.handle, spend, urlRules })
  const web = openWebParts(runtime, config, { spend, logger, signIn, oauth, wipeSoon: () => upkeep?.wipeSoon() })
  const feed = watchFeed(runtime, (error) =>
    logger.warn({ error: String(error) }, 'The changes feed could not be polled.'),
  )
  const onWrite = (workspaceId: string) => {
    web.changes.soon(workspaceId)
    feed.soon(workspaceId)
  }
  const onQueue = () => worker?.soon()
  const onWebhooks = () => dispatcher?.soon()
  const execute = watched(lanes.execute, storage, { onWrite, onQueue, onWebhooks })
  const sender = openSender({ rules: urlRules })
  const app = buildApp({
    execute,
    waiting: openWaiting(feed),
    exports: openExports(),
    urlRules,
    sendTest: async ({ webhook, event }) => {
      const { secret, now } = runtime
      return { event, attempt: await attempt({ sender, secret, now }, { webhook, event, number: 1, replay: false }) }
    },
    files: filesIn(runtime, config),
    limiter: limitWith(spend, limits),
    limits,
    authenticate: (header, asked) => authenticate(engine, header, asked),
    isBusy(error) {
      storage.met(error)
      return engine.violation(error) === 'busy'
    },
    isStopping: () => stopping,
    unready: () => (stopping ? Promise.resolve('The service is stopping.') : whyUnready(engine, storage)),
    noteUse: tokenUses(engine, logger),
    now: () => new Date(),
    hosted: config.HOSTED,
    app_url: config.APP_URL,
    default_host: new URL(config.APP_URL).host,
    api_domain: config.API_DOMAIN,
    mcp_domain: config.MCP_DOMAIN,
    mcp: { costOfMessage },
    oauth,
    spendRegistration: clients.spendRegistration,
    workspace_policy: { creators: config.WORKSPACE_CREATION, per_account: config.WORKSPACES_PER_ACCOUNT },
    trust_proxy: config.TRUST_PROXY,
    cors_origins: config.CORS_ORIGINS,
    request_seconds: config.REQUEST_SECONDS,
    logger,
    shedder: observability.shedder,
    observers: observability.observers,
    metrics: observability.metrics,
    takeStripeEvent: stripeEvents(engine, config),
    web,
  })
  try {
    await listen(app, config)
    const { api, mcp } = addressesOf(config)
    const started = { url: config.APP_URL, api, mcp, database: shownAddress(config.DATABASE_URL), version }
    logger.info({ ...started, node: process.version, pid: process.pid }, `Kith is running at ${config.APP_URL}`)
    log.flush()
    for (const line of misspeltSettings(process.env)) logger.warn(line)
    const token = (await hasUser(engine.db)) ? undefined : setUpToken(config.SECRET)
    // A log that is collected stays in one format once there is an account.
    const isRead = token !== undefined || process.stderr.isTTY
    print(isRead ? welcome(config, { program, setUpToken: token, environment: process.env }) : '')
    upkeep = keepUp(engine, {
      now: () => new Date(),
      onFailure: (error) => logger.warn({ error: String(error) }, 'Expired data could not be deleted.'),
      idle_hours: config.SESSION_IDLE_HOURS,
      changes_days: config.CHANGES_DAYS,
    })
    worker = openWorker({
      runtime,
      execute,
      hosted: config.HOSTED,
      onFailure: (error) =>
        engine.violation(error) === 'busy'
          ? logger.warn({ error: String(error) }, 'Jobs could not be run for a moment.')
          : logger.error({ bug: String(error) }, 'A job failed inside.'),
    })
    dispatcher = openDispatcher({
      ...{ runtime, execute, listen: feed.listen, retries: config.WEBHOOK_RETRIES, hosted: config.HOSTED },
      sender,
      app_url: config.APP_URL,
      resync: `${api}/changes?cursor=start`,
      sendMail: mailWith(config),
      onFailure: (error) => logger.warn({ error: String(error) }, 'Webhooks could not be delivered for a moment.'),
    })
    const reason = await untilStopped()
    stopping = true
    logger.info({ reason, drain_seconds: config.DRAIN_SECONDS }, 'Stopping.')
    // Gives load balancers time to notice that this node is not ready.
    if (config.DRAIN_SECONDS > 0) await setTimeout(config.DRAIN_SECONDS * 1000)
  } finally {
    await stopInTime(log, [
      [
        'requests in flight',
        async () => {
          upkeep?.stop()
          await Promise.all([endRequests(app, logger), worker?.stop(), dispatcher?.stop()])
          await clients.close()
        },
      ],
      ['the database', lanes.close],
      ['metrics', observability.close],
      [
        'the log',
        async () => {
          if (stopping) logger.info('Stopped.')
          await log.close()
        },
      ],
    ])
  }
}

async function listen(app: ReturnType<typeof buildApp>, { PORT: port, HOST: host }: Config): Promise<void> {
  try {
    await app.listen({ port, host })
  } catch (error) {
    throw new Failure(`The service cannot listen on port ${port} of ${host}: ${messageOf(error)}`)
  }
}

/** The port on which it listens: the system chooses one for PORT=0. */
function portIn(server: Server): number | undefined {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/** The files of imports. */
function filesIn(runtime: Runtime, { IMPORT_MAX_MB: max_mb }: Config): AppParts['files'] {
  return {
    store: ({ workspace }, received) => storeFile(runtime, { workspace_id: workspace.id, max_mb, ...received }),
    drop: ({ workspace }, { file_id }) => deleteFile(runtime.engine, { workspace_id: workspace.id, file_id }),
  }
}

/** Only hosted installations sell subscriptions. */
function stripeEvents(engine: Engine, config: Config): AppParts['takeStripeEvent'] {
  const { HOSTED, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (!HOSTED || webhookSecret === undefined) return undefined
  return (sent) => takeStripeEvent(engine, { webhookSecret }, sent)
}

function limitsOf(config: Config): RateLimits {
  return {
    workspace: config.RATE_LIMIT_WORKSPACE,
    reads: config.RATE_LIMIT_READS,
    writes: config.RATE_LIMIT_WRITES,
    items: config.RATE_LIMIT_ITEMS,
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

/** Those who wait for changes of this process get them at once; those of other processes are found by polling. */
function watched(
  execute: AppParts['execute'],
  storage: StorageWatch,
  { onWrite, onQueue, onWebhooks }: { onWrite(workspaceId: string): void; onQueue(): void; onWebhooks(): void },
): AppParts['execute'] {
  return async (call, isDisconnected) => {
    const answer = storage.saw(await execute(call, isDisconnected))
    // What is delivered to webhooks is no change.
    if (call.lane === 'write' && 'facts' in call && call.surface !== 'webhook') onWrite(call.facts.workspace.id)
    if (answer.aside?.queued) onQueue()
    if (answer.aside?.webhooks) onWebhooks()
    return answer
  }
}

function tokenUses(engine: Engine, logger: Logger): AppParts['noteUse'] {
  return noteUses(
    ({ token_id }) => token_id,
    ({ token_id, connection }, at) =>
      replaceLastUsedAt(engine.single, { table: connection ? 'connections' : 'tokens', id: token_id, at }),
    (error) => logger.warn({ error: String(error) }, 'The use of a token could not be stored.'),
  )
}

/** A release has the program in its folder. */
function programIn(release: URL): string {
  return existsSync(release) ? fileURLToPath(release) : 'npx kith'
}

function untilStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal))
  })
}
