import { AsyncLocalStorage } from 'node:async_hooks'
import { abilities } from '@kith/contract/abilities'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { DBAdapter, DBTransactionAdapter } from 'better-auth/adapters'
import type { Config } from '../../config.ts'
import { columnNames } from '../adapter-plugin.ts'
import { hashToken, newToken } from '../tokens.ts'

/** The page of the application where users sign in and consent. */
export const CONSENT_PATH = '/oauth/consent'

/** The scope for refresh tokens. Without it users would have to sign in every hour. */
export const OFFLINE = 'offline_access'

/** The scopes that a client can request: the abilities of a token. */
export const scopes = [...abilities, OFFLINE] as const

const ACCESS_SECONDS = 3600

const REFRESH_SECONDS = 30 * 86_400

const NOT_CHOSEN = 'not-chosen'

/** The connection of the current consent. better-auth stores it with the tokens, but does not pass the request. */
export const chosenConnection = new AsyncLocalStorage<string>()

/** OAuth 2.1 for programs that connect to a workspace: better-auth's provider with tokens in our format. */
export async function oauthPlugin(config: Config) {
  const { oauthProvider } = await import('@better-auth/oauth-provider')
  return oauthProvider({
    // One page for all users; the application redirects through sign-in if needed.
    loginPage: config.APP_URL + CONSENT_PATH,
    consentPage: config.APP_URL + CONSENT_PATH,
    scopes: [...scopes],
    grantTypes: ['authorization_code', 'refresh_token'],
    validAudiences: oauthTargets(config),
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    disableJwtPlugin: true,
    accessTokenExpiresIn: ACCESS_SECONDS,
    refreshTokenExpiresIn: REFRESH_SECONDS,
    generateOpaqueAccessToken: () => newToken('connection'),
    storeTokens: { hash: async (token) => hashToken(token) },
    postLogin: {
      page: config.APP_URL + CONSENT_PATH,
      shouldRedirect: () => false,
      // No consent is stored under this name, so users are asked each time.
      consentReferenceId: () => chosenConnection.getStore() ?? NOT_CHOSEN,
    },
    rateLimit: {
      // Hosted assistants send the requests of all their users from few addresses.
      token: { window: 60, max: 600 },
      authorize: { window: 60, max: 120 },
      register: { window: 60, max: 60 },
      revoke: { window: 60, max: 120 },
    },
    schema: tables,
    silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
  })
}

const owner = columnNames('clientId', 'userId', 'referenceId', 'createdAt')

const token = { ...owner, ...columnNames('sessionId', 'expiresAt') }

/** The names that the provider's models have in our database. */
const tables = {
  oauthClient: {
    modelName: 'oauth_clients',
    fields: {
      ...owner,
      ...columnNames('clientSecret', 'skipConsent', 'enableEndSession', 'subjectType', 'updatedAt', 'softwareId'),
      ...columnNames('softwareVersion', 'softwareStatement', 'redirectUris', 'postLogoutRedirectUris'),
      ...columnNames('tokenEndpointAuthMethod', 'grantTypes', 'responseTypes'),
      requirePKCE: 'require_pkce',
    },
  },
  oauthRefreshToken: { modelName: 'oauth_refresh_tokens', fields: { ...token, ...columnNames('authTime') } },
  oauthAccessToken: { modelName: 'oauth_access_tokens', fields: { ...token, ...columnNames('refreshId') } },
  oauthConsent: { modelName: 'oauth_consents', fields: { ...owner, ...columnNames('updatedAt') } },
} as const

/** The names of the MCP server that a client may give as `resource`. */
export function oauthTargets({ APP_URL, MCP_DOMAIN }: Pick<Config, 'APP_URL' | 'MCP_DOMAIN'>): string[] {
  const origins = MCP_DOMAIN === undefined ? [APP_URL] : [APP_URL, `https://${MCP_DOMAIN}`]
  return origins.flatMap((origin) => [origin, `${origin}/`, `${origin}/mcp`, `${origin}/mcp/`])
}

const MESSAGE = 'The parameter resource names something that this server gives no access to.'

export function refuseTarget(targets: readonly string[]): Response {
  return oauthError(400, { error: 'invalid_target', message: `${MESSAGE} Accepted: ${targets.join(', ')}.` })
}

/** The address for the redirect with the error (RFC 8707, 2.1). */
export function refusedTargetUrl(request: URL, issuer: string): string | undefined {
  const url = URL.parse(request.searchParams.get('redirect_uri') ?? '')
  if (url === null) return undefined
  url.searchParams.set('error', 'invalid_target')
  url.searchParams.set('error_description', MESSAGE)
  const state = request.searchParams.get('state')
  if (state !== null) url.searchParams.set('state', state)
  url.searchParams.set('iss', issuer)
  return url.href
}

/** How long a refresh token can be exchanged again. */
const GRACE_MS = 10_000

const MODEL = 'oauthRefreshToken'

/**
 * Clients with several windows may refresh the same token twice at about the same time. Both succeed and get their
 * own tokens. After the grace period it is a replay, and better-auth revokes all tokens of the family.
 */
export function withGrace(inner: DBTransactionAdapter): DBTransactionAdapter {
  return {
    ...inner,
    async findOne<T>(query: Parameters<DBAdapter['findOne']>[0]) {
      const row = await inner.findOne<T>(query)
      return query.model === MODEL && isInGrace(row) ? { ...row, revoked: null } : row
    },
    /** better-auth marks a token as used with this, and treats "no row" as a replay. */
    async incrementOne<T>(query: Parameters<DBAdapter['incrementOne']>[0]) {
      const marked = await inner.incrementOne<T>(query)
      if (marked !== null || query.model !== MODEL) return marked
      const where = query.where.filter(({ field }) => field !== 'revoked')
      const row = await inner.findOne<T>({ model: MODEL, where })
      return isInGrace(row) ? row : null
    },
  }
}

function isInGrace(row: unknown): row is object & { revoked: Date } {
  if (typeof row !== 'object' || row === null || !('revoked' in row) || !(row.revoked instanceof Date)) return false
  return Date.now() - row.revoked.getTime() < GRACE_MS
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/

/** The accepted redirect addresses, for the error message. */
export const REDIRECTS_ACCEPTED =
  'https:// with a host, http:// on the loopback interface (127.0.0.1, [::1] or localhost), ' +
  "or the application's own scheme such as com.example.app:/callback"

/** Schemes that browsers and operating systems handle themselves. `ms-…:` are those of Windows. */
const NO_APPLICATION = new RegExp(
  '^(about|blob|chrome|data|file|filesystem|ftps?|geo|intent|javascript|jar|mailto|ms-[a-z-]*|search-ms|sftp|' +
    'shell|smb|sms|ssh|tel|urn|vbscript|view-source|wss?):$',
)

/**
 * Whether a code may be sent to an address (RFC 8252, 7 and 8.4). The RFC requires that schemes of applications
 * contain a domain, but widely used ones do not (`cursor:`, `vscode:`), so only reserved schemes are refused.
 */
export function isRedirectUri(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null) return false
  const { protocol, hostname, username, password } = url
  if (protocol === 'https:') return username === '' && password === ''
  if (protocol === 'http:') return LOOPBACK.test(hostname) && username === '' && password === ''
  return !NO_APPLICATION.test(protocol)
}

/**
 * Converts an error of better-auth to the format of OAuth: a code and a description. Undefined if the endpoint does not
 * exist.
 */
export async function asOAuthError(response: Response, request: Request): Promise<Response | undefined> {
  const sent = parseJson(await response.text())
  const body = isObject(sent) ? sent : undefined
  if (!body && response.status === 404) return undefined
  const endpoint = new URL(request.url).pathname.split('/').at(-1) ?? ''
  const message = errorText(body?.error_description) ?? errorText(body?.message) ?? 'The request was refused.'
  const error = RENAMED[message] ?? errorText(body?.error) ?? codeFor(response.status, endpoint, message)
  // Only the time to retry is kept, under its standard name.
  const wait = response.headers.get('X-Retry-After')
  const headers = new Headers(wait === null ? {} : { 'Retry-After': wait })
  const status = statusFor(response.status, error)
  // RFC 6749, 5.2: in the scheme that the client used.
  if (status === 401 && request.headers.has('Authorization')) headers.set('WWW-Authenticate', 'Basic realm="Kith"')
  return oauthError(status, { error, message, headers })
}

/** Errors, by description, for which better-auth uses other codes than RFC 6749 (5.2), 7636 (4.6) and 8707 (2). */
const RENAMED: Readonly<Record<string, string>> = {
  'invalid client_id': 'invalid_grant',
  'redirect_uri mismatch': 'invalid_grant',
  'code verification failed': 'invalid_grant',
  'missing user, user may have been deleted': 'invalid_grant',
  'session no longer exists': 'invalid_grant',
  'user not found': 'invalid_grant',
  'Missing required client_id': 'invalid_request',
  'Missing a required refresh_token for refresh_token grant': 'invalid_request',
  'requested resource invalid': 'invalid_target',
}

/** RFC 6749, 5.2: 401 for an unknown client, 400 for all other problems with the request. */
function statusFor(status: number, error: string): number {
  if (status === 429 || status >= 500) return status
  return error === 'invalid_client' ? 401 : 400
}

/** RFC 6749 allows no quotes and backslashes in a description. */
export function oauthError(
  status: number,
  { error, message, headers = new Headers() }: { error: string; message: string; headers?: Headers },
): Response {
  const error_description = message.replaceAll('"', "'").replace(/[^ -[\]-~]/g, '?')
  headers.set('Cache-Control', 'no-store')
  headers.set('Pragma', 'no-cache')
  return Response.json({ error, error_description }, { status, headers })
}

function codeFor(status: number, endpoint: string, message: string): string {
  if (status === 429) return 'temporarily_unavailable'
  if (status >= 500) return 'server_error'
  if (status === 401) return 'invalid_client'
  if (endpoint === 'register') {
    return message.includes('[body.redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  }
  if (message.includes('[body.grant_type]')) return 'unsupported_grant_type'
  return message.includes('[query.response_type]') ? 'unsupported_response_type' : 'invalid_request'
}

function errorText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
