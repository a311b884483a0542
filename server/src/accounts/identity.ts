import { newId } from '@kith/contract/id'
import { PASSWORD_MAX, PASSWORD_MIN, SESSION_DAYS } from '@kith/contract/limits'
import type { Config } from '../config.ts'
import { authDatabase } from '../storage/engines/auth-database.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { adapterPlugin, columnNames } from './adapter-plugin.ts'
import { CONSENT_PATH, oauthPlugin, withGrace } from './oauth/plugin.ts'
import { claimCode } from './sign-in/factors.ts'
import { hashingTokens } from './sign-in/sessions.ts'
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

/** The cookies, address and user agent of the browser. */
export type Caller = { cookie: string | undefined; address: string; user_agent: string | undefined }

type AuthEndpoint = keyof Identity['api']

type Input = { body?: unknown; query?: Readonly<Record<string, string>> }

/** Creates and ends sessions with better-auth. Returns cookies for the browser. */
export type SignIn = {
  /** Passes a request to better-auth. */
  handle(request: Request, clientAddress: string): Promise<Response>
  /** Calls an endpoint. These endpoints are reachable only through the application's routes. */
  ask(endpoint: AuthEndpoint, sent: Input, caller: Caller): Promise<Response>
  /** Checks a code of an authenticator app, which works once; undefined if it was used before. */
  verifyCode(
    user_id: string,
    body: { code: string; trustDevice?: boolean },
    caller: Caller,
  ): Promise<Response | undefined>
  /** Starts a session; undefined if email or password is wrong. */
  signIn(credentials: { email: string; password: string }, caller: Caller): Promise<string[] | undefined>
  signOut(caller: Caller): Promise<string[]>
  /** Extends the session. */
  renew(caller: Caller): Promise<string[]>
  /** Changes the password and ends all other sessions; undefined if the current password is wrong. */
  changePassword(
    passwords: { currentPassword: string; newPassword: string },
    caller: Caller,
  ): Promise<string[] | undefined>
}

/** Loads better-auth with the first request. */
export function signInWith(engine: Engine, config: Config, report: (error: unknown) => void): SignIn {
  let opened: Promise<Identity> | undefined
  function identity(): Promise<Identity> {
    opened ??= openIdentity(engine, config, report)
    return opened
  }
  async function ask(endpoint: AuthEndpoint, sent: Input, caller: Caller): Promise<Response> {
    const { api } = await identity()
    // The endpoints take different inputs; each checks its own.
    const call = api[endpoint] as unknown as (input: unknown) => Promise<Response>
    return call({ body: {}, query: {}, ...sent, headers: headersOf(caller), asResponse: true })
  }
  return {
    async handle(request, clientAddress) {
      request.headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
      return (await identity()).handler(request)
    },
    ask,
    async verifyCode(user_id, body, caller) {
      const isNew = await claimCode(engine, config.SECRET, { user_id, code: body.code })
      return isNew ? ask('verifyTOTP', { body }, caller) : undefined
    },
    signIn: async (body, caller) => cookiesOf(await ask('signInEmail', { body }, caller)),
    signOut: async (caller) => cookiesOf(await ask('signOut', {}, caller)) ?? [],
    renew: async (caller) => cookiesOf(await ask('getSession', {}, caller)) ?? [],
    changePassword: async (passwords, caller) =>
      cookiesOf(await ask('changePassword', { body: { ...passwords, revokeOtherSessions: true } }, caller)),
  }
}

function headersOf({ cookie, address, user_agent }: Caller): Headers {
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: address })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  if (user_agent !== undefined) headers.set('User-Agent', user_agent)
  return headers
}

/** Undefined if the request was refused. A status of 500 or more is a bug. */
function cookiesOf(response: Response): string[] | undefined {
  if (response.ok) return response.headers.getSetCookie()
  if (response.status < 500) return undefined
  throw new Error(`better-auth answered with ${response.status}.`)
}
