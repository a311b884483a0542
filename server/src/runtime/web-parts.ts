import { CLIENT_BODY_MAX_BYTES, CLIENT_DOCUMENT_SECONDS } from '@kith/contract/limits'
import type { Logger } from 'pino'
import type { SignIn } from '../accounts/identity.ts'
import { clientDocuments, type RegistrationOrigin } from '../accounts/oauth/client-documents.ts'
import { grantsIn } from '../accounts/oauth/connections.ts'
import { settleConsent } from '../accounts/oauth/consent.ts'
import { type OAuth, oauthOver } from '../accounts/oauth/oauth.ts'
import { oauthTargets } from '../accounts/oauth/plugin.ts'
import { readFactors } from '../accounts/sign-in/factors.ts'
import { challengeIn, findSessionUser, requireGoodSession } from '../accounts/sign-in/sessions.ts'
import { knownDevices } from '../accounts/sign-in/sign-in-events.ts'
import { spendAttempt, spendRegistration } from '../accounts/sign-in/sign-in-limit.ts'
import { watchChanges } from '../changes/live-updates.ts'
import type { Config } from '../config.ts'
import type { WebParts } from '../http/parts.ts'
import { type Spend, sessionLimitWith } from '../limits/rate-limit.ts'
import type { UrlRules } from '../outbound/allowed-url.ts'
import { mailWith, spendMail } from '../outbound/mail.ts'
import { openReader } from '../outbound/sender.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { hasUser } from '../storage/tables/accounts.ts'
import { challengeTable, findPasskeyHolder, loadSessionIdsIn, sessionTable } from '../storage/tables/sessions.ts'

/** The parts of the web application's private API. */
export function openWebParts(
  runtime: Runtime,
  config: Config,
  { spend, logger, signIn, oauth }: { spend: Spend; logger: Logger; signIn: SignIn; oauth: OAuth },
): WebParts {
  const { engine } = runtime
  const settings = sessionSettings(config)
  const limits = { account: config.SIGN_IN_LIMIT_ACCOUNT, address: config.SIGN_IN_LIMIT_ADDRESS }
  return {
    signIn,
    findSessionUser: (session) => findSessionUser(engine, settings, session),
    noteSessionUse: sessionUses(engine, logger),
    spendAttempt: (attempt) => spendAttempt(spend, limits, attempt),
    spendMail: (mail) => spendMail(spend, mail),
    spendOfUser: sessionLimitWith(spend, config.RATE_LIMIT_SESSION),
    devices: knownDevices(settings),
    needsSetUp: async () => !(await hasUser(engine.db)),
    sendMail: mailWith(config),
    changes: watchChanges(runtime, (error) => logger.warn({ error: String(error) }, 'Changes could not be polled.')),
    sessionsIn: (workspaceId) => loadSessionIdsIn(engine.db, workspaceId, new Date().toISOString()),
    settleConsent: ({ user_id }, input, caller) => {
      const admit = async (slug: string) => {
        const sessionUser = await findSessionUser(engine, settings, { cookie: caller.cookie, slug, now: new Date() })
        if (sessionUser?.role) requireGoodSession(sessionUser)
      }
      return settleConsent(runtime, { user_id, admit, settle: oauth.settle(caller) }, input)
    },
    asksForCodes: async (user_id) => (await readFactors(engine.db, { user_id, session_id: '' }, null)).totp,
    async pendingUser(cookie) {
      const challenge = challengeIn(cookie, settings)
      return challenge === undefined
        ? undefined
        : (await challengeTable.find(engine.db, { identifier: challenge }))?.value
    },
    passkeyHolder: (credentialId) => findPasskeyHolder(engine.db, credentialId),
    site: { provider: providerName(config), idle_hours: config.SESSION_IDLE_HOURS },
    provider:
      providerName(config) === null ? undefined : { rules: config.OIDC_MEMBERSHIP, strong: config.OIDC_SECOND_FACTOR },
  }
}

function sessionSettings({ SECRET, APP_URL, SESSION_IDLE_HOURS }: Config) {
  return { secret: SECRET, secure: APP_URL.startsWith('https:'), idle_hours: SESSION_IDLE_HOURS }
}

function providerName({ OIDC_ISSUER, OIDC_NAME }: Config): string | null {
  return OIDC_ISSUER === undefined ? null : OIDC_NAME
}

function sessionUses(engine: Engine, logger: Logger): WebParts['noteSessionUse'] {
  return noteUses(
    ({ session_id }) => session_id,
    async ({ session_id }, at) => {
      await sessionTable.update(engine.single, { id: session_id }, { updated_at: at })
    },
    (error) => logger.warn({ error: String(error) }, 'The use of a session could not be stored.'),
  )
}

/** The authorization server, with the reader of client documents. */
export function openOAuth(
  { engine, now }: Runtime,
  config: Config,
  parts: {
    identify: Parameters<typeof oauthOver>[0]
    spend: Spend
    urlRules(): UrlRules
  },
): { oauth: OAuth; spendRegistration(caller: RegistrationOrigin): Promise<void>; close(): Promise<void> } {
  const { identify, spend, urlRules } = parts
  const limits = { address: config.REGISTER_LIMIT_ADDRESS, total: config.REGISTER_LIMIT_TOTAL }
  const register = async ({ address, cookie }: RegistrationOrigin) => {
    const sessionUser = await findSessionUser(engine, sessionSettings(config), { cookie, slug: null, now: now() })
    await spendRegistration(spend, limits, { address, user_id: sessionUser?.user_id })
  }
  const { read, close } = openReader({
    // Anyone can make the service read a document, so hosts that are allowed for webhooks are not allowed here.
    rules: () => ({ ...urlRules(), allow: config.CLIENT_DOCUMENT_ALLOW_PRIVATE }),
    timeout_ms: CLIENT_DOCUMENT_SECONDS * 1000,
    max_bytes: CLIENT_BODY_MAX_BYTES,
  })
  const oauth = oauthOver(identify, {
    app_url: config.APP_URL,
    resources: oauthTargets(config),
    grants: grantsIn({ engine, now }),
    documents: clientDocuments({ engine, now, spend: register, read }),
  })
  return { oauth, spendRegistration: register, close }
}

const EVERY_MS = 60_000
const REMEMBERED_MAX = 10_000

/** Stores when a token or session was last used, at most once a minute for each, without delaying the request. */
export function noteUses<T extends { last_used_at: string | null }>(
  idOf: (used: T) => string,
  write: (used: T, at: string) => Promise<void>,
  onFailure: (error: unknown) => void,
): (used: T, now: Date) => void {
  const noted = new Map<string, number>()
  return (used, now) => {
    const id = idOf(used)
    const last = noted.get(id) ?? (used.last_used_at === null ? 0 : Date.parse(used.last_used_at))
    if (now.getTime() - last < EVERY_MS) return
    if (noted.size > REMEMBERED_MAX) noted.clear()
    noted.set(id, now.getTime())
    write(used, now.toISOString()).catch(onFailure)
  }
}
