import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { authenticate } from '../accounts/authenticate.ts'
import { signInWith } from '../accounts/identity.ts'
import { takeStripeEvent } from '../accounts/subscription.ts'
import { setUpToken } from '../accounts/workspaces.ts'
import { checkIn, newThread, type Thread } from '../calls/thread.ts'
import { watchFeed } from '../changes/live-updates.ts'
import { Failure, messageOf } from '../commands/command.ts'
import { asOpening, shownAddress } from '../commands/with-database.ts'
import { type Config, misspeltSettings, urlRulesOf } from '../config.ts'
import { openContents } from '../contents/contents.ts'
import { openStore } from '../contents/open-store.ts'
import { schemaFor } from '../fields/definitions.ts'
import type { AppParts } from '../http/parts.ts'
import { buildApp } from '../http/server.ts'
import { openWaiting } from '../http/v1/waiting.ts'
import { openBodies } from '../http/wire/receive-bodies.ts'
import { checkInThread } from '../jobs/import/check-in-thread.ts'
import { storeFile } from '../jobs/store-file.ts'
import { openWorker } from '../jobs/worker.ts'
import type { Leases } from '../leases/leases.ts'
import { openExports, placesInDatabase, placesInMemory } from '../limits/places.ts'
import { limitWith, type RateLimits } from '../limits/rate-limit.ts'
import { openMailer } from '../mails/mailer.ts'
import { costOfMessage } from '../mcp/tools.ts'
import { openReminders, type Reminders } from '../notifications/due.ts'
import { openSender } from '../outbound/sender.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { OUTDATED, StorageTrouble } from '../storage/engines/storage-trouble.ts'
import { isMigrated } from '../storage/migrations/migrate.ts'
import { hasUser } from '../storage/tables/accounts.ts'
import { deleteFile } from '../storage/tables/jobs.ts'
import { replaceLastUsedAt } from '../storage/tables/tokens.ts'
import { openLog } from '../telemetry/log.ts'
import { openObservability, type StorageWatch, watchStorage } from '../telemetry/observability.ts'
import { version } from '../version.ts'
import { openDispatcher } from '../webhooks/dispatch/dispatcher.ts'
import { stepsOf, withEffects } from './execute-call.ts'
import { openParts } from './open-parts.ts'
import { endRequests, stopInTime } from './stop-in-time.ts'
import { keepUp, type Upkeep } from './upkeep.ts'
import { isOfMigration, watchMigrations } from './watch-migrations.ts'
import { noteUses, openOAuth, openWebParts } from './web-parts.ts'
import { addressesOf, welcome } from './welcome.ts'

/**
 * The environment of the service: where it prints advice for the operator, what stops it, the module that its threads
 * run, and the name of the command-line program.
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
  const store = openStore(config, (error) => logger.warn({ error: String(error) }, 'A bucket did not answer.'))
  const { engine, lanes, spend } = await asOpening(config, () => openParts(config, threads, store))
  const observability = await openObservability(config, engine, lanes)
  const storage = watchStorage()
  let stopping = false
  let upkeep: Upkeep | undefined
  let worker: Leases | undefined
  let dispatcher: Leases | undefined
  let reminders: Reminders | undefined
  let mailer: Leases | undefined
  let migrations: { stop(): void } | undefined
  let workEnds: Promise<unknown> | undefined
  const stopWork = () => {
    upkeep?.stop()
    reminders?.stop()
    workEnds ??= Promise.all([worker?.stop(), dispatcher?.stop(), mailer?.stop()])
    return workEnds
  }
  const signIn = signInWith(engine, config, (error) =>
    logger.error({ bug: String(error) }, 'Sign-in failed with an internal error.'),
  )
  const limits = limitsOf(config)
  const runtime: Runtime = { engine, secret: config.SECRET, now: () => new Date() }
  const urlRules = () => urlRulesOf(config, portIn(app.server) ?? config.PORT)
  const { oauth, ...clients } = openOAuth(runtime, config, { identify: signIn.handle, spend, urlRules })
  const web = openWebParts(runtime, config, { spend, logger, signIn, oauth })
  const feed = watchFeed(runtime, (error) =>
    logger.warn({ error: String(error) }, 'The changes feed could not be polled.'),
  )
  const places = engine.concurrentWrites
    ? placesInDatabase(engine, (error) =>
        logger.warn({ error: String(error) }, 'The places of waiting requests could not be stored.'),
      )
    : placesInMemory()
  const onWrite = (workspaceId: string) => {
    web.changes.soon(workspaceId)
    feed.soon(workspaceId)
  }
  const execute = withEffects(watched(lanes.execute, storage, onWrite), {
    sendMail: web.sendMail,
    logger,
    wake: {
      job_queued: () => worker?.soon(),
      webhook_changed: () => dispatcher?.soon(),
      data_deleted: () => upkeep?.expireDeletedSoon(),
    },
  })
  const sender = openSender({ rules: urlRules })
  // Starts with the first file.
  const fileThread = newThread('files', { entry: threads.href })
  const app = buildApp({
    execute,
    waiting: openWaiting(feed, places),
    exports: openExports(places),
    urlRules,
    bodies: openBodies(observability.shedder),
    files: filesIn(runtime, config, fileThread),
    contents: openContents({ ...runtime, store, max_mb: config.FILE_MAX_MB }),
    file_limits: { workspace_bytes: config.FILES_WORKSPACE_MB * 1024 * 1024 },
    limiter: limitWith(spend, limits),
    limits,
    authenticate: (header, asked) => authenticate(engine, header, asked),
    schemaFor: (workspace) => schemaFor({ engine, db: engine.db, inside: false, workspace }),
    async isBusy(error) {
      storage.met(error)
      return engine.violation(error) === 'busy' || (await isOfMigration(engine, error))
    },
    refuseOutdated: storage.refuseOutdated,
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
    const port = portIn(app.server) ?? config.PORT
    const { api, mcp } = addressesOf(config)
    const started = { url: config.APP_URL, api, mcp, port, database: shownAddress(config.DATABASE_URL), version }
    logger.info({ ...started, node: process.version, pid: process.pid }, `Kith is running at ${config.APP_URL}`)
    log.flush()
    for (const line of misspeltSettings(process.env)) logger.warn(line)
    const token = (await hasUser(engine.db)) ? undefined : setUpToken(config.SECRET)
    // Once there is an account, a collected log must stay in one format.
    const isRead = token !== undefined || process.stderr.isTTY
    print(isRead ? welcome(config, { program, port, setUpToken: token, environment: process.env }) : '')
    upkeep = keepUp(engine, {
      now: () => new Date(),
      onFailure: (error) => logger.warn({ error: String(error) }, 'Upkeep could not be completed. It continues later.'),
      idle_hours: config.SESSION_IDLE_HOURS,
      changes_days: config.CHANGES_DAYS,
      store,
      execute,
    })
    const runStep = stepsOf(runtime, execute)
    worker = openWorker({
      runtime,
      runStep,
      hosted: config.HOSTED,
      onFailure: (error) =>
        engine.violation(error) === 'busy'
          ? logger.warn({ error: String(error) }, 'Jobs could not be run for a moment.')
          : logger.error({ bug: String(error) }, 'A job failed with an internal error.'),
    })
    dispatcher = openDispatcher({
      runtime,
      runStep,
      listen: feed.listen,
      retries: config.WEBHOOK_RETRIES,
      hosted: config.HOSTED,
      sender,
      app_url: config.APP_URL,
      resync: `${api}/changes?cursor=start`,
      sendMail: web.sendMail,
      onFailure: (error) => logger.warn({ error: String(error) }, 'Webhooks could not be delivered for a moment.'),
    })
    reminders = openReminders({
      runtime,
      runStep,
      onFailure: (error) =>
        logger.warn({ error: String(error) }, 'Due tasks could not be looked for. It continues later.'),
    })
    // Without a mail server only the inbox exists.
    const { sendMail } = web
    mailer =
      sendMail &&
      openMailer({
        runtime,
        runStep,
        hosted: config.HOSTED,
        app_url: config.APP_URL,
        spend,
        sendMail,
        onFailure: (error) =>
          logger.warn({ error: String(error) }, 'A mail about notifications could not be sent. It is sent later.'),
      })
    migrations = watchMigrations(engine, () => {
      logger.error(OUTDATED)
      storage.met(new StorageTrouble('outdated', OUTDATED))
      stopWork().catch((error) => logger.warn({ error: String(error) }, 'Background work could not be ended.'))
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
          migrations?.stop()
          await Promise.all([endRequests(app, logger), stopWork()])
          await clients.close()
        },
      ],
      ['the database', () => Promise.all([lanes.close(), fileThread.close()])],
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

/** The port of the server. With PORT=0 the system chooses one. */
function portIn(server: Server): number | undefined {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/** The files of imports. */
function filesIn(runtime: Runtime, { IMPORT_MAX_MB: max_mb }: Config, thread: Thread): AppParts['files'] {
  return {
    store: ({ workspace }, { bytes, expected }) =>
      storeFile(runtime, {
        workspace_id: workspace.id,
        max_mb,
        bytes,
        check: checkInThread((part) => checkIn(thread, part), expected),
      }),
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
    await engine.checkWritable()
    if (!(await isMigrated(engine.db))) storage.met(new StorageTrouble('outdated', OUTDATED))
    return storage.why()
  } catch (error) {
    return storage.why(error) ?? 'The database cannot be reached.'
  }
}

/** Waiting readers get changes of this process at once; changes of other processes are found by polling. */
function watched(
  execute: AppParts['execute'],
  storage: StorageWatch,
  onWrite: (workspaceId: string) => void,
): AppParts['execute'] {
  return async (call, isDisconnected) => {
    const answer = storage.saw(await execute(call, isDisconnected))
    if (call.lane !== 'write' || !('facts' in call)) return answer
    // Deliveries to webhooks are not changes.
    const isDelivery = call.surface === 'step' && call.request.handler === 'store-progress'
    if (!isDelivery) onWrite(call.facts.workspace.id)
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

/** The program in the folder of a release. */
function programIn(release: URL): string {
  return existsSync(release) ? fileURLToPath(release) : 'npx kith'
}

function untilStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal))
  })
}
