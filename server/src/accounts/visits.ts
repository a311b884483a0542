import { abilities } from '@kith/contract/abilities'
import { excerpt } from '@kith/contract/excerpt'
import type { Permission } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { Engine } from '../db/engine.ts'
import { findVisitorRow, replaceSessionUse, type VisitorRow } from '../db/sessions.ts'
import { requirePermission } from '../records/allow.ts'
import type { ScopeFacts } from '../scope.ts'
import { refusePaused } from './authenticate.ts'
import { roleOf } from './members.ts'
import { type CookieSettings, sessionTokenIn } from './session-cookie.ts'
import { slugProblem } from './slug.ts'
import { accessOf } from './subscription.ts'
import { hashToken } from './token-format.ts'

/** Whoever is signed in to the application, and what they are in the workspace that the request names. */
export type Visitor = VisitorRow

export type Visit = { cookie: string | undefined; slug: string | null; now: Date }

/** Who makes a request of the application, in one statement; undefined when nobody is signed in. */
export async function findVisitor(
  engine: Engine,
  settings: CookieSettings,
  { cookie, slug, now }: Visit,
): Promise<Visitor | undefined> {
  const token = sessionTokenIn(cookie, settings)
  // What cannot be a slug is asked of no database: not all of them take every text.
  const asked = slug !== null && slugProblem(slug) === undefined ? slug : ''
  const row = token === undefined ? undefined : await findVisitorRow(engine.db, hashToken(token), asked)
  return row && Date.parse(row.expires_at) > now.getTime() ? row : undefined
}

export type VisitorAdmission = {
  needed: readonly Permission[]
  /** What stays open in a workspace that is paused: settings, tokens and billing. */
  whilePaused: boolean
  slug: string
  hosted: boolean
  app_url: string
  now: Date
}

/** Lets a visitor into the workspace, or refuses: membership, then role, then the subscription. */
export function admitVisitor(visitor: Visitor, admission: VisitorAdmission): ScopeFacts {
  const { needed, whilePaused, slug, hosted, app_url, now } = admission
  const { role, workspace_id, workspace_slug, workspace_name } = visitor
  // Whoever is no member learns nothing, not even whether it exists.
  if (role === null || workspace_id === null || workspace_slug === null || workspace_name === null) {
    return refuse({ kind: 'not_found', message: `You are a member of no workspace ${excerpt(slug)}.` })
  }
  const facts: ScopeFacts = {
    workspace: {
      id: workspace_id,
      slug: workspace_slug,
      name: workspace_name,
      fields_version: visitor.fields_version ?? 0,
    },
    actor: { user_id: visitor.user_id, role: roleOf(role), abilities, token_id: null, door: 'web' },
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
