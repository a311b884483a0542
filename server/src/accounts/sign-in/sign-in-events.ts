import { createHmac, randomBytes } from 'node:crypto'
import type { SecondFactor } from '@kith/contract/app/factors'
import { firstIdAt, newId } from '@kith/contract/id'
import { HOUR_MS, KNOWN_DEVICE_DAYS } from '@kith/contract/limits'
import type { DomainRule } from '../../config.ts'
import type { Change } from '../../journal/write.ts'
import { folded } from '../../outbound/mail.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import { findUser, findUserByEmail, type UserRow } from '../../storage/tables/accounts.ts'
import { type FailureRow, insertSignIn, loadFailures, replaceFailure } from '../../storage/tables/audit-log.ts'
import { findUnjoined, insertDomainJoin } from '../../storage/tables/members.ts'
import { sessionTable } from '../../storage/tables/sessions.ts'
import { joinWorkspace } from '../members.ts'
import { isSame } from '../tokens.ts'
import { type CookieSettings, cookieNamed } from './sessions.ts'

export type SignInMethod = 'password' | 'passkey' | 'provider'

/** Where the user signs in. */
type SignInPlace = { address: string; user_agent: string | undefined }

type SignedIn = SignInPlace & {
  user_id: string
  session_id: string
  method: SignInMethod
  factor: SecondFactor | null
  /** The workspaces to join by the domain of a verified address. */
  rules: readonly DomainRule[]
}

const AGENT_MAX = 200

/** The maximum of addresses per account and hour in the log; further ones share an entry. */
const ADDRESSES_MAX = 20

const OTHERS = 'other addresses'

export type SignInEvent =
  | { signedIn: SignedIn }
  | { failed: FailedSignIn }
  /** The second factor of a session has changed. */
  | { marked: { user_id: string; session_id: string; factor: string | null } }

export function noteSignInEvent(runtime: Runtime, event: SignInEvent): Promise<void> {
  if ('signedIn' in event) return noteSignIn(runtime, event.signedIn)
  if ('failed' in event) return noteFailedSignIn(runtime, event.failed)
  return runtime.engine.transaction((inside) => markSession(inside, event.marked))
}

/** Stores the second factor with which a session began. */
async function markSession(
  inside: Db,
  { user_id, session_id, factor }: { user_id: string; session_id: string; factor: string | null },
): Promise<void> {
  await sessionTable.update(inside, { user_id, id: session_id }, { second_factor: factor })
}

/** Stores the factor of a new session and writes the sign-in to the log of each workspace of the user. */
async function noteSignIn(runtime: Runtime, signedIn: SignedIn): Promise<void> {
  const { user_id, session_id, factor, method, address, user_agent } = signedIn
  await runtime.engine.transaction(async (inside) => {
    await markSession(inside, { user_id, session_id, factor })
    for (const rule of signedIn.rules) await joinByDomain(runtime, inside, { user_id, rule })
    const user = await findUser(inside, user_id)
    if (!user) return
    const changes = changesOf({ method, second_factor: factor, address, browser: user_agent?.slice(0, AGENT_MAX) })
    const id = newId(runtime.now().getTime())
    await insertSignIn(inside, { id, user_id, email: user.email, action: 'sign_in', changes })
  })
}

/** Adds a user by the domain of their address, once for each workspace: a removed member is not added again. */
async function joinByDomain(
  runtime: Runtime,
  inside: Db,
  { user_id, rule }: { user_id: string; rule: DomainRule },
): Promise<void> {
  const workspace_id = await findUnjoined(inside, user_id, rule.slug)
  if (workspace_id === undefined) return
  const at = runtime.now().toISOString()
  if (await insertDomainJoin(inside, { workspace_id, user_id, at }))
    await joinWorkspace(runtime, inside, { workspace_id, user_id, role: rule.role })
}

export type FailedSignIn = SignInPlace & {
  /** By email address or by id. */
  user: { email: string } | { id: string }
  what: 'password' | 'code' | 'passkey'
}

/**
 * Writes a failed attempt to the log of each workspace of the account. To keep the log small, attempts from one
 * address within an hour share an entry with a counter, and so do all addresses above a maximum.
 */
async function noteFailedSignIn(runtime: Runtime, failed: FailedSignIn): Promise<void> {
  const user = await userOf(runtime.engine.db, failed.user)
  if (!user) return
  const now = runtime.now()
  await runtime.engine.transaction(async (inside) => {
    await runtime.engine.lock(inside, [`failed sign-ins ${user.id}`])
    const hour = firstIdAt(now.getTime() - (now.getTime() % HOUR_MS))
    const entries = (await loadFailures(inside, user.id, hour)).map((row) => ({ row, told: toldIn(row) }))
    const same = entries.find(({ told }) => told.address === failed.address)
    const kept =
      same ?? (entries.length < ADDRESSES_MAX ? undefined : entries.find(({ told }) => told.address === OTHERS))
    const address = same || entries.length < ADDRESSES_MAX ? failed.address : OTHERS
    const attempts = Number(kept?.told.attempts ?? 0) + 1
    const browser = failed.user_agent?.slice(0, AGENT_MAX)
    const changes = changesOf({ wrong: failed.what, address, attempts, last_at: now.toISOString(), browser })
    if (kept) return replaceFailure(inside, user.id, { id: kept.row.id, changes })
    const entry = { id: newId(now.getTime()), user_id: user.id, email: user.email, action: 'sign_in_failed', changes }
    return insertSignIn(inside, entry)
  })
}

function userOf(db: Db, user: FailedSignIn['user']): Promise<UserRow | undefined> {
  return 'id' in user ? findUser(db, user.id) : findUserByEmail(db, user.email.trim().toLowerCase())
}

function changesOf(told: Readonly<Record<string, unknown>>): string {
  const changes = Object.entries(told).filter(([, value]) => value !== undefined && value !== null)
  return JSON.stringify(changes.map(([name, value]): Change => [name, null, value]))
}

function toldIn({ changes }: FailureRow): Record<string, unknown> {
  // Written only by changesOf.
  return Object.fromEntries((JSON.parse(changes) as readonly Change[]).map(([name, , value]) => [name, value]))
}

const DAY_SECONDS = 86_400

/** Browsers that have signed in to an account before. Failed attempts of others do not block them. */
export type KnownDevices = {
  /** The id of the browser, if it sent a cookie of this account. */
  find(cookies: string | undefined, email: string, now: Date): string | undefined
  /** The cookie that makes a browser known. */
  remember(email: string, now: Date): string
}

/** The cookie is not a session: it only gives the browser its own limit of attempts. One cookie per account. */
export function knownDevices({ secret, secure }: CookieSettings): KnownDevices {
  const nameFor = (email: string) => `${secure ? '__Secure-' : ''}kith.device_${folded(email).slice(0, 12)}`
  const sign = (text: string, email: string) =>
    createHmac('sha256', secret)
      .update(`known device\n${folded(email)}\n${text}`)
      .digest('base64url')
  return {
    find(cookies, email, now) {
      const [id = '', seconds = '', signature = ''] = cookieNamed(nameFor(email), cookies)?.split('.') ?? []
      if (!isSame(signature, sign(`${id}.${seconds}`, email))) return undefined
      return now.getTime() / 1000 - Number(seconds) < KNOWN_DEVICE_DAYS * DAY_SECONDS ? id : undefined
    },
    remember(email, now) {
      const text = `${randomBytes(16).toString('base64url')}.${Math.floor(now.getTime() / 1000)}`
      const value = `${text}.${sign(text, email)}`
      const rest = `Max-Age=${KNOWN_DEVICE_DAYS * DAY_SECONDS}; Path=/api/app; HttpOnly; SameSite=Lax`
      return `${nameFor(email)}=${value}; ${rest}${secure ? '; Secure' : ''}`
    },
  }
}
