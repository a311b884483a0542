import { NAME_MAX } from '@kith/contract/limits'
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import * as z from 'zod'
import { type Config, rulesFor } from '../../config.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { findUserByEmail } from '../../storage/tables/accounts.ts'
import { credentialTable } from '../../storage/tables/sessions.ts'

/** The id of the provider, in paths and in the database. */
export const OIDC = 'oidc'

/** Why sign-in with the provider failed, for the sign-in page. */
type OidcProblem = 'provider_failed' | 'email_not_verified' | 'no_account'

/** The OpenID Connect provider of the configuration, if any. The plugin handles PKCE and state. */
export function oidcProvider(engine: Engine, config: Config): GenericOAuthConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  return {
    providerId: OIDC,
    discoveryUrl,
    issuer,
    clientId,
    clientSecret,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    async getUserInfo(tokens) {
      const claims = await readClaims({ issuer, clientId, discoveryUrl }, tokens).catch(() => refuse('provider_failed'))
      // An unverified address may belong to another person.
      if (!claims.email_verified) return refuse('email_not_verified')
      if (!(await isKnown(engine, config, claims))) return refuse('no_account')
      const name = (claims.name ?? claims.email.split('@')[0] ?? claims.email).slice(0, NAME_MAX)
      return { id: claims.sub, email: claims.email, emailVerified: true, name }
    },
    // Other claims of the provider are ignored.
    mapProfileToUser: ({ id, email, emailVerified, name }) => ({ id, email, emailVerified, name }),
  }
}

/** Accounts are created only for domains of OIDC_MEMBERSHIP. All others need an existing account. */
async function isKnown({ db }: Engine, { OIDC_MEMBERSHIP }: Config, { sub, email }: Claims): Promise<boolean> {
  if (rulesFor(OIDC_MEMBERSHIP, email).length > 0) return true
  // PostgreSQL accepts no NUL in a parameter.
  if (!sub.includes('\0') && (await credentialTable.has(db, { provider_id: OIDC, account_id: sub }))) return true
  return (await findUserByEmail(db, email)) !== undefined
}

async function refuse(problem: OidcProblem): Promise<never> {
  const { APIError } = await import('better-auth/api')
  throw new APIError('FORBIDDEN', { code: problem, message: problem })
}

const ANSWER_MS = 10_000

const CLOCK_SECONDS = 60

/** The provider's claims about the user. */
type Claims = { sub: string; email: string; email_verified: boolean; name: string | undefined }

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url(), userinfo_endpoint: z.url().optional() })

// Some providers send the flag as text.
const flag = z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false)

const profile = z.object({
  sub: z.string().min(1),
  email: z.string().optional().catch(undefined),
  email_verified: flag.default(false),
  name: z.string().trim().min(1).optional().catch(undefined),
})

/**
 * Checks the ID token against the provider's keys, its issuer and its audience. If it has no email address, the
 * userinfo endpoint is called, and its answer must have the same subject.
 */
async function readClaims(
  provider: { issuer: string; clientId: string; discoveryUrl: string },
  { idToken, accessToken }: { idToken?: string | undefined; accessToken?: string | undefined },
): Promise<Claims> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose')
  const known = discovery.parse(await fetchJson(provider.discoveryUrl))
  if (known.issuer !== provider.issuer) throw new Error('The provider returned another issuer.')
  const keys = createRemoteJWKSet(new URL(known.jwks_uri), { timeoutDuration: ANSWER_MS })
  const expected = { issuer: provider.issuer, audience: provider.clientId, clockTolerance: CLOCK_SECONDS }
  const { payload } = await jwtVerify(idToken ?? '', keys, expected)
  const told = profile.parse(payload)
  if (told.email !== undefined) return complete(told)
  if (known.userinfo_endpoint === undefined) throw new Error('The provider returned no email address.')
  const headers = { Authorization: `Bearer ${accessToken ?? ''}` }
  const more = profile.parse(await fetchJson(known.userinfo_endpoint, headers))
  if (more.sub !== told.sub) throw new Error('The userinfo has another subject.')
  return complete(more)
}

function complete({ email = '', ...rest }: z.infer<typeof profile>): Claims {
  const address = email.trim().toLowerCase()
  if (!/^[^@\s]{1,64}@[^@\s]{1,253}$/.test(address)) throw new Error('The provider returned no email address.')
  return { ...rest, email: address, name: rest.name }
}

async function fetchJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
  if (!response.ok) throw new Error(`The provider answered ${response.status}.`)
  return response.json()
}
