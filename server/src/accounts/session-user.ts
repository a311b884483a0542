import { abilities } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import { HOUR_MS } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import { requirePermission } from '../records/allow.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { findSessionUserRow, type SessionUserRow } from '../storage/tables/sessions.ts'
import { refusePaused } from './authenticate.ts'
import { type CookieSettings, sessionTokenIn } from './sign-in/session-cookie.ts'
import { slugProblem } from './slug.ts'
import { accessOf } from './subscription.ts'
import { hashToken } from './token-format.ts'

/** The user of a session, and their membership in the workspace that the request names. */
export type SessionUser = SessionUserRow

export type SessionRequest = { cookie: string | undefined; slug: string | null; now: Date }

type SessionSettings = CookieSettings & {
  /** Sessions end after this time without use; 0 means no limit. */
  idle_hours: number
}

/** Finds the user of a session in one statement; undefined if there is no valid session. */
export async function findSessionUser(
  engine: Engine,
  settings: SessionSettings,
  { cookie, slug, now }: SessionRequest,
): Promise<SessionUser | undefined> {
  const token = sessionTokenIn(cookie, settings)
  // Invalid slugs are not sent to the database: PostgreSQL rejects some texts.
  const asked = slug !== null && slugProblem(slug) === undefined ? slug : ''
  const row = token === undefined ? undefined : await findSessionUserRow(engine.db, hashToken(token), asked)
  return row && Date.parse(row.expires_at) > now.getTime() && !isIdle(row, settings.idle_hours, now) ? row : undefined
}

/** Whether a session was unused for longer than is allowed. */
export function isIdle({ last_used_at }: { last_used_at: string }, hours: number, now: Date): boolean {
  return hours > 0 && now.getTime() - Date.parse(last_used_at) > hours * HOUR_MS
}

type SessionAdmission = {
  needed: readonly Permission[]
  /** What stays open in a workspace that is paused: settings, tokens and billing. */
  whilePaused: boolean
  slug: string
  hosted: boolean
  app_url: string
  now: Date
}

/** Admits the session to the workspace, or refuses: membership, the session, the role, the subscription. */
export function admitSession(sessionUser: SessionUser, admission: SessionAdmission): ScopeFacts {
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
