import { abilities } from '@kith/contract/abilities'

/** Without it a client would get no refresh token, and people would have to sign in once an hour. */
export const OFFLINE = 'offline_access'

/** What a client can ask for: the abilities of a token. */
export const scopes = [...abilities, OFFLINE] as const
