import { newId } from '@kith/contract/id'
import { PASSWORD_MAX, PASSWORD_MIN, SESSION_DAYS } from '@kith/contract/limits'
import type { Config } from '../config.ts'
import { authDatabase } from '../storage/engines/auth-database.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { adapterPlugin } from './adapter-plugin.ts'
import { columnNames } from './column-names.ts'
import { CONSENT_PATH, oauthPlugin } from './oauth/plugin.ts'
import { withGrace } from './oauth/refresh-grace.ts'
import { hashingTokens } from './sign-in/hashed-sessions.ts'
import { signInPlugins, withoutProviderTokens } from './sign-in/sign-in-plugins.ts'

export type Identity = Awaited<ReturnType<typeof openIdentity>>

/** Carries the caller's address to better-auth. Callers cannot set it themselves. */
export const CLIENT_ADDRESS_HEADER = 'x-kith-client-address'

/**
 * Sign-in and sessions: better-auth on our own tables. Sign-up is disabled; `createUser` creates users. `report` gets
 * errors that are not the caller's fault.
 */
export async function openIdentity(engine: Engine, config: Config, report: (error: unknown) => void) {
  // Large, so commands that only create a user do not load it.
  const [{ betterAuth }, { isAPIError }] = await Promise.all([import('better-auth'), import('better-auth/api')])
  return betterAuth({
    appName: 'Kith',
    baseURL: config.APP_URL,
    basePath: '/api/auth',
    secret: config.SECRET,
    database: await authDatabase(engine),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      revokeSessionsOnPasswordReset: true,
    },
    ...tables,
    session: { ...tables.session, expiresIn: SESSION_DAYS * 86_400, updateAge: 86_400 },
    rateLimit: { enabled: true, customRules: { '/sign-in/email': { window: 60, max: 20 } } },
    plugins: [
      adapterPlugin('kith-hashed-sessions', hashingTokens),
      adapterPlugin('kith-refresh-grace', withGrace),
      await oauthPlugin(config),
      ...(await signInPlugins(engine, config)),
    ],
    databaseHooks: withoutProviderTokens,
    advanced: {
      cookiePrefix: 'kith',
      database: { generateId: () => newId(Date.now()) },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      disableOriginCheck: false,
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
    onAPIError: {
      // Errors in a client's request are shown on the consent page.
      errorURL: config.APP_URL + CONSENT_PATH,
      onError: (error) => (isAPIError(error) ? undefined : report(error)),
    },
  })
}

/** The names that better-auth's models have in our database. */
const tables = {
  user: { modelName: 'users', fields: columnNames('createdAt', 'updatedAt', 'emailVerified') },
  session: {
    modelName: 'sessions',
    fields: columnNames('createdAt', 'updatedAt', 'userId', 'expiresAt', 'ipAddress', 'userAgent'),
  },
  account: {
    modelName: 'accounts',
    fields: columnNames(
      ...(['createdAt', 'updatedAt', 'userId', 'accountId', 'providerId', 'accessToken', 'refreshToken'] as const),
      ...(['idToken', 'accessTokenExpiresAt', 'refreshTokenExpiresAt'] as const),
    ),
  },
  verification: { modelName: 'verifications', fields: columnNames('createdAt', 'updatedAt', 'expiresAt') },
} as const
