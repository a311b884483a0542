import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Ability, abilities } from '@kith/contract/abilities'
import type { FreshTokenAnswer, TokenRow } from '@kith/contract/app/tokens'
import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { DAY_MS, TOKENS_PER_MEMBER_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { roleMay } from '@kith/contract/permissions'
import { parseOrRefuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../journal/write.ts'
import { requirePermission } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import {
  type BearerRow,
  countWorkingTokens,
  findBearerRow,
  findToken,
  insertToken,
  loadTokens,
  replaceRevokedAt,
  type TokenRow as StoredToken,
} from '../storage/tables/tokens.ts'
import { disableWebhooksMadeWith } from '../storage/tables/webhooks.ts'
import { parseName } from './parse-account.ts'

const TOKEN_NAME_MAX = 100

export const EXPIRIES = ['7', '30', '90', '180', '365', 'never'] as const

export type Token = Omit<StoredToken, 'abilities'> & { abilities: Ability[] }

/** Creates a token of the actor for this workspace. */
export async function createToken(
  scope: Scope,
  input: {
    name: string
    /** A list of names, which is checked. */
    abilities: unknown
    /** In days, or `never`. */
    expires: string
    /** The name of that input, for error messages. */
    expires_key?: string
  },
): Promise<FreshTokenAnswer> {
  const { name, granted, days } = parseOrRefuse([], (report) => ({
    name: parseName(input.name, TOKEN_NAME_MAX, report),
    granted: parseAbilities(input.abilities, report),
    days: parseExpiry(input.expires, input.expires_key ?? 'expires', report),
  }))
  return inTransaction(scope, async (inside) => {
    const now = inside.now()
    await refuseTooMany(inside)
    const token = newToken()
    const expires_at = days === undefined ? null : new Date(now.getTime() + days * DAY_MS).toISOString()
    const shown = { id: newId(now.getTime()), name, expires_at, created_at: now.toISOString() }
    await insertToken(inside.db, {
      ...shown,
      workspace_id: inside.workspace.id,
      user_id: inside.actor.user_id,
      hash: hashToken(token),
      abilities: granted.join(','),
      last_used_at: null,
      revoked_at: null,
    })
    const entry = { action: 'create', resource: 'tokens', record_id: shown.id, name } as const
    const changes = [['abilities', null, granted] as const, ['expires_at', null, expires_at] as const]
    await noteWrite(inside, [{ ...entry, changes }])
    return { ...shown, token, abilities: granted }
  })
}

/** The tokens of the actor; owners and admins see all of the workspace. */
export async function listTokens(scope: Scope): Promise<Token[]> {
  const only = roleMay(scope.actor.role, 'see_all_tokens') ? undefined : scope.actor.user_id
  return (await loadTokens(scope.db, scope.workspace.id, only)).map(presentToken)
}

export function revokeToken(scope: Scope, id: string): Promise<Token> {
  return inTransaction(scope, async (inside) => {
    const token = await findToken(inside.db, inside.workspace.id, parseId(id) ?? '')
    if (!token || !(roleMay(inside.actor.role, 'see_all_tokens') || token.user_id === inside.actor.user_id)) {
      refuseUnknownId('token', id)
    }
    const at = inside.now().toISOString()
    // Of two concurrent requests only one writes the audit entry.
    if (await replaceRevokedAt(inside.db, { workspace_id: inside.workspace.id, id: token.id, at })) {
      await noteWrite(inside, [{ action: 'revoke', resource: 'tokens', record_id: token.id, name: token.name }])
      await disableWebhooksMadeWith(inside, [token.id])
    }
    return presentToken({ ...token, revoked_at: token.revoked_at ?? at })
  })
}

export type Bearer = Omit<BearerRow, 'abilities'> & {
  abilities: Ability[]
  /** Set for a connected program; `token_id` is then its connection. */
  connection?: true
}

/** The bearer of a token, in one statement. The caller checks whether it is valid. */
export async function findBearer(db: Db, hash: string, versioned = false): Promise<Bearer | undefined> {
  const row = await findBearerRow(db, hash, versioned)
  return row && { ...row, abilities: abilitiesOf(row.abilities) }
}

/** Takes a lock, so that concurrent requests count each other's tokens. */
async function refuseTooMany({ engine, db, workspace, actor, now }: Scope): Promise<void> {
  await engine.lock(db, [`tokens ${workspace.id} ${actor.user_id}`])
  const holder = { workspace_id: workspace.id, user_id: actor.user_id }
  if ((await countWorkingTokens(db, holder, now().toISOString())) < TOKENS_PER_MEMBER_MAX) return
  const limit = `A member can have ${TOKENS_PER_MEMBER_MAX} working tokens in a workspace.`
  refuseValue('name', `${limit} Revoke one that is no longer used.`)
}

/** Anything but a list counts as an empty list. */
export function parseAbilities(raw: unknown, report: Report): Ability[] {
  const words = new Set(Array.isArray(raw) ? raw.map(String) : [])
  for (const word of words) {
    if (abilities.some((ability) => ability === word)) continue
    const accepted = `Accepted: ${abilities.join(', ')}.${suggestion(word, abilities)}`
    report('abilities', `The ability ${excerpt(word)} does not exist. ${accepted}`)
  }
  if (words.size === 0) report('abilities', `A token needs at least one ability: ${abilities.join(', ')}.`)
  return abilities.filter((ability) => words.has(ability))
}

/** The days, or undefined for no expiry. */
function parseExpiry(raw: string, key: string, report: Report): number | undefined {
  const expiry = EXPIRIES.find((accepted) => accepted === raw)
  if (expiry === undefined) report(key, `A token expires after ${EXPIRIES.slice(0, -1).join(', ')} days or never.`)
  return expiry === undefined || expiry === 'never' ? undefined : Number(expiry)
}

function presentToken(row: StoredToken): Token {
  return { ...row, abilities: abilitiesOf(row.abilities) }
}

export function abilitiesOf(text: string): Ability[] {
  const words = text.split(',')
  return abilities.filter((ability) => words.includes(ability))
}

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

/** The hash of a token, which is stored instead of it. Tokens are random, so a plain hash is enough. */
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

/** The active tokens for the application: the actor's own, or with `all` those of the workspace. */
export async function listWorkingTokens(scope: Scope, input: unknown): Promise<TokenRow[]> {
  const all = readInput(input, (fields) => fields.optionalText('all') === '1')
  if (all) requirePermission(scope, 'see_all_tokens')
  const tokens = await listTokens(scope)
  return tokens
    .filter(({ revoked_at, user_id }) => revoked_at === null && (all || user_id === scope.actor.user_id))
    .map(({ id, name, user_id, user_name, user_email, abilities, expires_at, last_used_at, created_at }) => {
      const user = { id: user_id, name: user_name, email: user_email }
      return { id, name, user, abilities, expires_at, last_used_at, created_at }
    })
}

/** Creates a token for the signed-in user. */
export function createOwnToken(scope: Scope, input: unknown): Promise<FreshTokenAnswer> {
  requirePermission(scope, 'make_tokens')
  const wanted = readInput(input, (fields) => ({
    name: fields.text('name', TOKEN_NAME_MAX),
    abilities: fields.raw('abilities'),
    expires: expiryIn(fields.raw('expires_in_days')),
  }))
  return createToken(scope, { ...wanted, expires_key: 'expires_in_days' })
}

function expiryIn(raw: unknown): string {
  return raw === null ? 'never' : typeof raw === 'number' ? String(raw) : ''
}
