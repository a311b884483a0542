import { abilities } from '@kith/contract/abilities'

/** Without it clients get no refresh token, and users would have to sign in every hour. */
export const OFFLINE = 'offline_access'

/** What a client can request: the abilities of a token. */
export const scopes = [...abilities, OFFLINE] as const
