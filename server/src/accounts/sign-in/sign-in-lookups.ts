import type { Engine } from '../../storage/engines/engine.ts'
import { findFactors, findPasskeyHolder, findPendingUser } from '../../storage/tables/factors.ts'
import { type CookieSettings, challengeIn } from './session-cookie.ts'

/** Lookups about an account that is not signed in yet. */
export type SignInLookups = {
  /** Whether sign-in with the password requires a code. */
  asksForCodes(userId: string): Promise<boolean>
  /** The user who has entered the password in this browser and must enter a code. */
  pendingUser(cookie: string | undefined): Promise<string | undefined>
  passkeyHolder(credentialId: string): Promise<string | undefined>
}

export function signInLookups({ db }: Engine, settings: CookieSettings): SignInLookups {
  return {
    async asksForCodes(userId) {
      const on = (await findFactors(db, userId, ''))?.two_factor_enabled
      return on === true || on === 1
    },
    async pendingUser(cookie) {
      const challenge = challengeIn(cookie, settings)
      return challenge === undefined ? undefined : findPendingUser(db, challenge)
    },
    passkeyHolder: (credentialId) => findPasskeyHolder(db, credentialId),
  }
}
