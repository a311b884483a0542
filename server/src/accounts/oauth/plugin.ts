import { AsyncLocalStorage } from 'node:async_hooks'
import { abilities } from '@kith/contract/abilities'
import type { Config } from '../../config.ts'
import { columnNames } from '../column-names.ts'
import { hashToken, newToken } from '../token-format.ts'
import { oauthTargets } from './targets.ts'

/** The page of the application where users sign in and consent. */
export const CONSENT_PATH = '/oauth/consent'

/** Without it clients get no refresh token, and users would have to sign in every hour. */
export const OFFLINE = 'offline_access'

/** What a client can request: the abilities of a token. */
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
