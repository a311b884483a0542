import type { Config } from '../../config.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { columnNames } from '../adapter-plugin.ts'
import { oidcProvider } from './oidc.ts'

/** How long a trusted browser needs no code. */
const TRUSTED_DAYS = 30

/** Passkeys, codes of an authenticator app, and an OpenID Connect provider: better-auth's plugins on our own tables. */
export async function signInPlugins(engine: Engine, config: Config) {
  const [{ passkey }, { twoFactor }, { genericOAuth }, { APIError }] = await Promise.all([
    import('@better-auth/passkey'),
    import('better-auth/plugins/two-factor'),
    import('better-auth/plugins/generic-oauth'),
    import('better-auth/api'),
  ])
  /** A passkey counts as two factors only if the device has verified the user; the plugin does not require it. */
  const requireVerified = (userVerified: boolean) => {
    if (!userVerified) throw new APIError('BAD_REQUEST', { code: 'USER_NOT_VERIFIED', message: 'Not verified.' })
  }
  const provider = oidcProvider(engine, config)
  return [
    twoFactor({
      issuer: 'Kith',
      trustDeviceMaxAge: TRUSTED_DAYS * 86_400,
      twoFactorTable: 'two_factors',
      schema: {
        user: { fields: columnNames('twoFactorEnabled') },
        twoFactor: { fields: columnNames('userId', 'backupCodes', 'failedVerificationCount', 'lockedUntil') },
      },
    }),
    passkey({
      rpID: new URL(config.APP_URL).hostname,
      rpName: 'Kith',
      origin: config.APP_URL,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      registration: {
        afterVerification: async ({ verification }) =>
          requireVerified(verification.registrationInfo?.userVerified ?? false),
      },
      authentication: {
        afterVerification: async ({ verification }) => requireVerified(verification.authenticationInfo.userVerified),
      },
      schema: {
        passkey: {
          modelName: 'passkeys',
          fields: {
            ...columnNames('userId', 'publicKey', 'deviceType', 'backedUp', 'createdAt'),
            credentialID: 'credential_id',
          },
        },
      },
      advanced: { webAuthnChallengeCookie: 'passkey_challenge' },
    }),
    ...(provider ? [genericOAuth({ config: [provider] })] : []),
  ]
}

const none = { accessToken: null, refreshToken: null, idToken: null }

/** The provider's tokens are not needed after sign-in, so they are not stored. */
export const withoutProviderTokens = {
  account: {
    create: { before: async <A extends object>(account: A) => ({ data: { ...account, ...none } }) },
    update: { before: async <A extends object>(account: A) => ({ data: { ...account, ...none } }) },
  },
}
