import { createHmac, timingSafeEqual } from 'node:crypto'
import { abilities } from '@kith/contract/abilities'
import type { OpenSession, SessionAnswer } from '@kith/contract/app/session'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { HOUR_MS } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { DBTransactionAdapter, Where } from 'better-auth/adapters'
import { requirePermission } from '../../scope/permissions.ts'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { findUser, userTable } from '../../storage/tables/accounts.ts'
import { loadWorkspacesOf } from '../../storage/tables/members.ts'
import {
  deleteOtherSessions,
  findSessionUserRow,
  loadSessions,
  type SessionUserRow,
  sessionTable,
} from '../../storage/tables/sessions.ts'
import { refusePaused } from '../authenticate.ts'
import { readFormats } from '../parse-account.ts'
import { accessOf } from '../subscription.ts'
import { hashToken } from '../tokens.ts'
import { slugProblem, type WorkspacePolicy, workspaceProblem } from '../workspaces.ts'

export type SessionHolder = { user_id: string; session_id: string }

/** The signed-in user and their workspaces, by name. */
export async function readSession(
  { engine }: Runtime,
  { user_id, session_id }: SessionHolder,
  policy: WorkspacePolicy,
): Promise<SessionAnswer> {
  const user = await findUser(engine.db, user_id)
  if (!user) throw new Error('The user of the session does not exist.')
  const workspaces = await loadWorkspacesOf(engine.db, user_id)
  const formats = await readFormats(engine.db, user_id)
  const time_zone = (await userTable.find(engine.db, { id: user_id }))?.time_zone ?? null
  const workspace_problem = await workspaceProblem(engine.db, user_id, policy)
  return { user, workspaces, session_id, formats, time_zone, workspace_problem }
}

/** The open sessions of a user, newest first. Idle sessions are not listed. */
export async function listSessions(
  runtime: Runtime,
  { user_id, session_id }: SessionHolder,
  idle_hours: number,
): Promise<OpenSession[]> {
  const now = runtime.now()
  const rows = await loadSessions(runtime.engine.db, user_id)
  return rows
    .filter((row) => Date.parse(row.expires_at) > now.getTime() && !isIdle(row, idle_hours, now))
    .map(({ expires_at: _, ip_address, user_agent, ...row }) => ({
      ...row,
      ip_address: ip_address === '' ? null : ip_address,
      user_agent: user_agent === '' ? null : user_agent,
      current: row.id === session_id,
    }))
}

export async function endSession(runtime: Runtime, { user_id }: SessionHolder, id: string): Promise<void> {
  const named = { user_id, id: parseId(id) ?? '' }
  const ended = await runtime.engine.transaction((inside) => sessionTable.remove(inside, named))
  if (ended === 0) refuse({ kind: 'not_found', message: `You have no session with the ID ${excerpt(id)}.` })
}

/** Ends all sessions of the user except the current one. */
export function endOtherSessions(runtime: Runtime, { user_id, session_id }: SessionHolder): Promise<void> {
  return runtime.engine.transaction((inside) => deleteOtherSessions(inside, user_id, session_id))
}

/** better-auth uses the first name, and accepts the name of the table as well. */
const MODELS = new Set(['session', 'sessions'])

const METHODS = [
  ...(['create', 'findOne', 'findMany', 'count', 'update', 'updateMany', 'delete', 'deleteMany'] as const),
  ...(['consumeOne', 'incrementOne'] as const),
]

type Query = { model: string; where?: Where[]; data?: object; update?: object }

/**
 * Stores the SHA-256 of session tokens instead of the tokens: hashes them on the way to the database, and restores them
 * in rows that were found by token.
 */
export function hashingTokens(inner: DBTransactionAdapter): DBTransactionAdapter {
  const hashing = METHODS.map((name) => {
    // The methods differ only in their results, which are returned unchanged.
    const method = inner[name] as (query: Query) => Promise<unknown>
    return [name, (query: Query) => (MODELS.has(query.model) ? runHashed(method, query) : method(query))]
  })
  return { ...inner, ...Object.fromEntries(hashing) }
}

async function runHashed(method: (query: Query) => Promise<unknown>, query: Query): Promise<unknown> {
  const tokens = new Map<string, string>()
  function hashed(token: unknown): unknown {
    if (Array.isArray(token)) return token.map(hashed)
    if (typeof token !== 'string') return token
    const hash = hashToken(token)
    tokens.set(hash, token)
    return hash
  }
  function hashedIn<T extends object>(values: T): T {
    return 'token' in values ? { ...values, token: hashed(values.token) } : values
  }
  function restored(row: unknown): unknown {
    if (typeof row !== 'object' || row === null || !('token' in row) || typeof row.token !== 'string') return row
    return { ...row, token: tokens.get(row.token) ?? row.token }
  }
  const { where, data, update } = query
  const found = await method({
    ...query,
    ...(where && {
      where: where.map((one) => (one.field === 'token' ? { ...one, value: hashed(one.value) } : one)) as Where[],
    }),
    ...(data && { data: hashedIn(data) }),
    ...(update && { update: hashedIn(update) }),
  })
  return Array.isArray(found) ? found.map(restored) : restored(found)
}

const SESSION = 'kith.session_token'

const CHALLENGE = 'kith.two_factor'

const TOKEN_MAX = 128

/** Settings for reading the session cookie. With https its name begins with `__Secure-`. */
export type CookieSettings = { secret: string; secure: boolean }

/**
 * The session token in the cookies of a browser, signed by better-auth. Without the secret of the installation the
 * cookie cannot be forged, even with access to the table of sessions.
 */
function sessionTokenIn(header: string | undefined, settings: CookieSettings): string | undefined {
  return signedIn(header, SESSION, settings)
}

/** The challenge of a sign-in that waits for a code. */
export function challengeIn(header: string | undefined, settings: CookieSettings): string | undefined {
  return signedIn(header, CHALLENGE, settings)
}

function signedIn(header: string | undefined, name: string, { secret, secure }: CookieSettings): string | undefined {
  const value = cookieNamed(secure ? `__Secure-${name}` : name, header)
  const at = value?.lastIndexOf('.') ?? -1
  if (value === undefined || at < 1 || at > TOKEN_MAX) return undefined
  const token = value.slice(0, at)
  const right = createHmac('sha256', secret).update(token).digest()
  const given = Buffer.from(value.slice(at + 1), 'base64')
  return given.length === right.length && timingSafeEqual(given, right) ? token : undefined
}

export function cookieNamed(name: string, header = ''): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at !== -1 && part.slice(0, at).trim() === name) return decoded(part.slice(at + 1).trim())
  }
  return undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The user of a session, and their membership in the workspace that the request names. */
export type SessionUser = SessionUserRow

export type SessionRequest = { cookie: string | undefined; slug: string | null; now: Date }

/** Finds the user of a session in one statement; undefined if there is no valid session. */
export async function findSessionUser(
  engine: Engine,
  settings: CookieSettings & {
    /** Sessions end after this time without use; 0 means no limit. */
    idle_hours: number
  },
  { cookie, slug, now }: SessionRequest,
): Promise<SessionUser | undefined> {
  const token = sessionTokenIn(cookie, settings)
  // Invalid slugs are not sent to the database: PostgreSQL rejects some texts.
  const asked = slug !== null && slugProblem(slug) === undefined ? slug : ''
  const row = token === undefined ? undefined : await findSessionUserRow(engine.db, hashToken(token), asked)
  return row && Date.parse(row.expires_at) > now.getTime() && !isIdle(row, settings.idle_hours, now) ? row : undefined
}

function isIdle({ last_used_at }: { last_used_at: string }, hours: number, now: Date): boolean {
  return hours > 0 && now.getTime() - Date.parse(last_used_at) > hours * HOUR_MS
}

/** Admits the session to the workspace, or refuses. Checks membership, session, role and subscription. */
export function admitSession(
  sessionUser: SessionUser,
  admission: {
    needed: readonly Permission[]
    /** For settings, tokens and billing, which stay open in a paused workspace. */
    whilePaused: boolean
    slug: string
    hosted: boolean
    app_url: string
    now: Date
  },
): ScopeFacts {
  const { needed, whilePaused, slug, hosted, app_url, now } = admission
  const { role, workspace_id, workspace_slug, workspace_name } = sessionUser
  // Do not reveal whether the workspace exists.
  if (role === null || workspace_id === null || workspace_slug === null || workspace_name === null) {
    return refuse({ kind: 'not_found', message: `You are not a member of a workspace with the slug ${excerpt(slug)}.` })
  }
  requireGoodSession(sessionUser)
  const facts: ScopeFacts = {
    workspace: {
      id: workspace_id,
      number: sessionUser.workspace_number ?? 0,
      slug: workspace_slug,
      name: workspace_name,
      fields_version: sessionUser.fields_version ?? 0,
    },
    actor: { user_id: sessionUser.user_id, role, abilities, token_id: null, source: 'web' },
  }
  for (const permission of needed) requirePermission(facts, permission)
  const { trial_ends_at, subscription_status, complimentary, paused_at } = sessionUser
  const subscription = {
    trial_ends_at: trial_ends_at ?? '',
    subscription_status,
    complimentary: complimentary ?? 0,
    paused_at,
  }
  if (!whilePaused && accessOf(subscription, now, hosted) === 'paused') refusePaused(facts.workspace, app_url)
  return facts
}

/** A workspace may require a second factor, and its admins may have ended earlier sessions. */
export function requireGoodSession(sessionUser: SessionUser): void {
  const { created_at, sessions_ended_at, require_second_factor, second_factor } = sessionUser
  if (sessions_ended_at !== null && created_at <= sessions_ended_at) {
    const message = 'An admin has ended your sessions in this workspace. Sign in again to open it.'
    refuse({ kind: 'forbidden', message, reason: 'sign_in_again' })
  }
  if (require_second_factor !== 1 || second_factor !== null) return
  if (sessionUser.has_factor === 1) {
    const message = 'This workspace requires a second factor. Sign in with your passkey or a code to open it.'
    refuse({ kind: 'forbidden', message, reason: 'second_factor_unused' })
  }
  const message = 'This workspace requires a second factor. Set up a passkey or an authenticator app to open it.'
  refuse({ kind: 'forbidden', message, reason: 'second_factor_missing' })
}
