import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Tokens that people make, and tokens that programs are given when people let them in. */
const prefixes = { personal: 'kith_', connection: 'kitho_' } as const

export type TokenKind = keyof typeof prefixes

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = ALPHABET.length
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^(${Object.values(prefixes).join('|')})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

export function newToken(kind: TokenKind = 'personal'): string {
  const start = prefixes[kind] + randomText(RANDOM_LENGTH)
  return start + checksumOf(start)
}

/** Whether a text has the form and the checksum of a token: a slip of the keyboard is told without a look into the database. */
export function looksLikeToken(text: string): boolean {
  return kindOfToken(text) !== undefined
}

/** Where a token is kept, or undefined for what cannot be one. */
export function kindOfToken(text: string): TokenKind | undefined {
  if (!FORM.test(text)) return undefined
  const start = text.slice(0, -CHECKSUM_LENGTH)
  if (checksumOf(start) !== text.slice(-CHECKSUM_LENGTH)) return undefined
  return text.startsWith(prefixes.connection) ? 'connection' : 'personal'
}

/** What is stored of a token. It is too random to be guessed, so that a plain hash keeps it. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

function randomText(length: number): string {
  // Bytes past the last whole multiple of the base are thrown away: they would make some characters likelier than others.
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
