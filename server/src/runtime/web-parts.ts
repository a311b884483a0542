import type { Logger } from 'pino'
import type { SignIn } from '../accounts/identify.ts'
import { settleConsent } from '../accounts/oauth/consent.ts'
import type { OAuth } from '../accounts/oauth/oauth.ts'
import { findSessionUser, requireGoodSession } from '../accounts/session-user.ts'
import { knownDevices } from '../accounts/sign-in/known-devices.ts'
import { spendAttempt } from '../accounts/sign-in/sign-in-limit.ts'
import { signInLookups } from '../accounts/sign-in/sign-in-lookups.ts'
import { hasNoUsers } from '../accounts/users.ts'
import type { Config } from '../config.ts'
import type { WebParts } from '../http/app/web-parts.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { loadSessionIdsIn, replaceSessionUse } from '../storage/tables/sessions.ts'
import { watchChanges } from './live-updates.ts'
import { mailWith } from './mail.ts'
import { noteUses } from './note-uses.ts'
import { type Spend, sessionLimitWith } from './rate-limit.ts'

type SharedParts = { spend: Spend; logger: Logger; signIn: SignIn; oauth: OAuth; wipeSoon(): void }

/** What the web application's private API needs. */
export function openWebParts(
  runtime: Runtime,
  config: Config,
  { spend, logger, signIn, oauth, wipeSoon }: SharedParts,
): WebParts {
  const { engine } = runtime
  const settings = {
    secret: config.SECRET,
    secure: config.APP_URL.startsWith('https:'),
    idle_hours: config.SESSION_IDLE_HOURS,
  }
  const limits = { account: config.SIGN_IN_LIMIT_ACCOUNT, address: config.SIGN_IN_LIMIT_ADDRESS }
  let isSetUp = false
  return {
    signIn,
    findSessionUser: (session) => findSessionUser(engine, settings, session),
    noteSessionUse: sessionUses(engine, logger),
    spendAttempt: (attempt) => spendAttempt(spend, limits, attempt),
    spendOfUser: sessionLimitWith(spend, config.RATE_LIMIT_SESSION),
    devices: knownDevices(settings),
    async needsSetUp() {
      // Accounts are never deleted, so the answer cannot change back.
      isSetUp ||= !(await hasNoUsers(engine.db))
      return !isSetUp
    },
    sendMail: mailWith(config),
    wipeSoon,
    changes: watchChanges(runtime, (error) => logger.warn({ error: String(error) }, 'Changes could not be polled.')),
    sessionsIn: (workspaceId) => loadSessionIdsIn(engine.db, workspaceId, new Date().toISOString()),
    settleConsent: ({ user_id }, input, caller) => {
      const admit = async (slug: string) => {
        const sessionUser = await findSessionUser(engine, settings, { cookie: caller.cookie, slug, now: new Date() })
        if (sessionUser?.role) requireGoodSession(sessionUser)
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

function sessionUses(engine: Engine, logger: Logger): WebParts['noteSessionUse'] {
  return noteUses(
    ({ session_id, last_used_at }) => ({ id: session_id, last_used_at }),
    ({ session_id }, now) => replaceSessionUse(engine.single, session_id, now.toISOString()),
    (error) => logger.warn({ error: String(error) }, 'The use of a session could not be stored.'),
  )
}
