import { randomBytes } from 'node:crypto'
import { hashToken } from '../token-format.ts'

/** The secret part of a link that opens something once: nobody can guess it, and only its hash is stored. */
export function newLinkToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** The hash of a token that was sent; of whatever cannot be one, a hash that no token has. */
export function hashLinkToken(token: string): string {
  return /^[\w-]{43}$/.test(token) ? hashToken(token) : ''
}
