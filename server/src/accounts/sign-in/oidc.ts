import { NAME_MAX } from '@kith/contract/limits'
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import type { Config } from '../../config.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { findUserByEmail } from '../../storage/tables/accounts.ts'
import { hasProviderAccount } from '../../storage/tables/sessions.ts'
import { rulesFor } from '../domain-rules.ts'
import { type Claims, readClaims } from './oidc-claims.ts'

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
    // Only the attributes of an account here.
    mapProfileToUser: ({ id, email, emailVerified, name }) => ({ id, email, emailVerified, name }),
  }
}

/** Accounts are created only for domains of OIDC_MEMBERSHIP. All others need an existing account. */
async function isKnown({ db }: Engine, { OIDC_MEMBERSHIP }: Config, { sub, email }: Claims): Promise<boolean> {
  if (rulesFor(OIDC_MEMBERSHIP, email).length > 0) return true
  if (await hasProviderAccount(db, OIDC, sub)) return true
  return (await findUserByEmail(db, email)) !== undefined
}

async function refuse(problem: OidcProblem): Promise<never> {
  const { APIError } = await import('better-auth/api')
  throw new APIError('FORBIDDEN', { code: problem, message: problem })
}
