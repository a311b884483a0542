import { abilities } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import type { Permission } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { requirePermission } from '../records/allow.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { findVisitorRow, replaceSessionUse, type VisitorRow } from '../storage/tables/sessions.ts'
import { refusePaused } from './authenticate.ts'
import { roleOf } from './members.ts'
import { type CookieSettings, sessionTokenIn } from './sign-in/session-cookie.ts'
import { slugProblem } from './slug.ts'
import { accessOf } from './subscription.ts'
import { hashToken } from './token-format.ts'

/** Whoever is signed in to the application, and what they are in the workspace that the request names. */
export type Visitor = VisitorRow

export type Visit = { cookie: string | undefined; slug: string | null; now: Date }

export type VisitSettings = CookieSettings & {
  /** Sessions that were not used for so long have ended; 0 for no such limit. */
  idle_hours: number
}

/** Who makes a request of the application, in one statement; undefined when nobody is signed in. */
export async function findVisitor(
  engine: Engine,
  settings: VisitSettings,
  { cookie, slug, now }: Visit,
): Promise<Visitor | undefined> {
  const token = sessionTokenIn(cookie, settings)
  // What cannot be a slug is asked of no database: not all of them take every text.
  const asked = slug !== null && slugProblem(slug) === undefined ? slug : ''
  const row = token === undefined ? undefined : await findVisitorRow(engine.db, hashToken(token), asked)
  return row && Date.parse(row.expires_at) > now.getTime() && !isIdle(row, settings.idle_hours, now) ? row : undefined
}

/** Whether nobody has used a session for longer than is allowed. */
export function isIdle({ last_used_at }: { last_used_at: string }, hours: number, now: Date): boolean {
  return hours > 0 && now.getTime() - Date.parse(last_used_at) > hours * HOUR_MS
}

const HOUR_MS = 3_600_000

export type VisitorAdmission = {
  needed: readonly Permission[]
  /** What stays open in a workspace that is paused: settings, tokens and billing. */
  whilePaused: boolean
  slug: string
  hosted: boolean
  app_url: string
  now: Date
}

/** Lets a visitor into the workspace, or refuses: membership, the session, the role, the subscription. */
export function admitVisitor(visitor: Visitor, admission: VisitorAdmission): ScopeFacts {
  const { needed, whilePaused, slug, hosted, app_url, now } = admission
  const { role, workspace_id, workspace_slug, workspace_name } = visitor
  // Whoever is no member learns nothing, not even whether it exists.
  if (role === null || workspace_id === null || workspace_slug === null || workspace_name === null) {
    return refuse({ kind: 'not_found', message: `You are a member of no workspace ${excerpt(slug)}.` })
  }
  requireGoodSession(visitor)
  const facts: ScopeFacts = {
    workspace: {
      id: workspace_id,
      slug: workspace_slug,
      name: workspace_name,
      fields_version: visitor.fields_version ?? 0,
    },
    actor: { user_id: visitor.user_id, role: roleOf(role), abilities, token_id: null, source: 'web' },
  }
  for (const permission of needed) requirePermission(facts, permission)
  const { trial_ends_at, subscription_status, complimentary, paused_at } = visitor
  const standing = {
    trial_ends_at: trial_ends_at ?? '',
    subscription_status,
    complimentary: complimentary ?? 0,
    paused_at,
  }
  if (!whilePaused && accessOf(standing, now, hosted) === 'paused') refusePaused(facts.workspace, app_url)
  return facts
}

/** A workspace may want a session that began with a second factor, or after its admins have ended the earlier ones. */
export function requireGoodSession(visitor: Visitor): void {
  const { created_at, sessions_ended_at, require_second_factor, second_factor } = visitor
  if (sessions_ended_at !== null && created_at <= sessions_ended_at) {
    const message = 'An admin has ended your sessions in this workspace. Sign in again to open it.'
    refuse({ kind: 'forbidden', message, reason: 'sign_in_again' })
  }
  if (require_second_factor !== 1 || second_factor !== null) return
  if (visitor.has_factor === 1) {
    const message = 'This workspace requires a second factor. Sign in with your passkey or a code to open it.'
    refuse({ kind: 'forbidden', message, reason: 'second_factor_unused' })
  }
  const message = 'This workspace requires a second factor. Set up a passkey or an authenticator app to open it.'
  refuse({ kind: 'forbidden', message, reason: 'second_factor_missing' })
}

const NOTE_EVERY_MS = 60_000

/** Notes when a session was last used, to the minute, without making its request wait. */
export function visitsNotedIn(
  engine: Engine,
  onFailure: (error: unknown) => void,
): (visitor: Visitor, now: Date) => void {
  const noted = new Map<string, number>()
  return ({ session_id, last_used_at }, now) => {
    const last = noted.get(session_id) ?? Date.parse(last_used_at)
    if (now.getTime() - last < NOTE_EVERY_MS) return
    if (noted.size > 10_000) noted.clear()
    noted.set(session_id, now.getTime())
    replaceSessionUse(engine.single, session_id, now.toISOString()).catch(onFailure)
  }
}
