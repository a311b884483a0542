import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Tokens that people create, and tokens of connected programs. */
const prefixes = { personal: 'kith_', connection: 'kitho_' } as const

type TokenKind = keyof typeof prefixes

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = ALPHABET.length
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^(${Object.values(prefixes).join('|')})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

export function newToken(kind: TokenKind = 'personal'): string {
  const start = prefixes[kind] + randomText(RANDOM_LENGTH)
  return start + checksumOf(start)
}

/** The kind of a token; undefined if the text cannot be one. The checksum finds typing errors without the database. */
export function kindOfToken(text: string): TokenKind | undefined {
  if (!FORM.test(text)) return undefined
  const start = text.slice(0, -CHECKSUM_LENGTH)
  if (checksumOf(start) !== text.slice(-CHECKSUM_LENGTH)) return undefined
  return text.startsWith(prefixes.connection) ? 'connection' : 'personal'
}

/** What is stored of a token. Tokens are random, so a plain hash is enough. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** The secret part of a link that works once. Only its hash is stored. */
export function newLinkToken(): { token: string; hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** The hash of a link token; a text that cannot be one gets a hash that no token has. */
export function hashLinkToken(token: string): string {
  return /^[\w-]{43}$/.test(token) ? hashToken(token) : ''
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function randomText(length: number): string {
  // Skip bytes above the last multiple of the base: they would make some characters more likely.
  const usable = 256 - (256 % BASE)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < usable) text += ALPHABET[byte % BASE]
  }
  return text
}

function checksumOf(start: string): string {
  let rest = crc32(start)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % BASE] + digits
    rest = Math.floor(rest / BASE)
  }
  return digits
}
