import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

/** A time as better-auth keeps it: text in SQLite, a timestamp in PostgreSQL. */
type Moment = string | Date

/** All that a request of the application needs to know about its session, and about the workspace that it names. */
export type VisitorRow = {
  session_id: string
  created_at: string
  expires_at: string
  last_used_at: string
  /** How the session began, where that was with more than a password. */
  second_factor: string | null
  user_id: string
  user_name: string
  user_email: string
  /** Null when no workspace has the slug or the user is no member of it. */
  role: string | null
  workspace_id: string | null
  workspace_slug: string | null
  workspace_name: string | null
  fields_version: number | null
  trial_ends_at: string | null
  subscription_status: string | null
  complimentary: number | null
  paused_at: string | null
  require_second_factor: number | null
  /** Sessions of this member that began before do not open the workspace. */
  sessions_ended_at: string | null
  /** 1 where the user has a passkey or an authenticator app. */
  has_factor: number
}

type Times = 'created_at' | 'expires_at' | 'last_used_at'
type Stored<Row> = Omit<Row, Times> & Record<Times, Moment>

const visitors = fixed<Stored<VisitorRow>>(`
  select s.id as session_id, s.created_at, s.expires_at, s.updated_at as last_used_at, s.second_factor,
    u.id as user_id, u.name as user_name, u.email as user_email, m.role, w.id as workspace_id,
    w.slug as workspace_slug, w.name as workspace_name,
    w.fields_version, w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at,
    w.require_second_factor, m.sessions_ended_at,
    case when w.require_second_factor = 1 and s.second_factor is null
      and (u.two_factor_enabled or exists (select 1 from passkeys p where p.user_id = u.id)) then 1 else 0 end
      as has_factor
  from sessions s
  join users u on u.id = s.user_id
  left join workspaces w on w.slug = ?
  left join members m on m.workspace_id = w.id and m.user_id = u.id
  where s.token = ?`)

/** Runs on every request of the application, so that its text is fixed and both databases plan it once. */
export async function findVisitorRow(db: Db, tokenHash: string, slug: string): Promise<VisitorRow | undefined> {
  // PostgreSQL takes no NUL, not even to find nothing under it. No workspace has an empty slug.
  const [row] = await visitors(db, [slug.includes('\0') ? '' : slug, tokenHash])
  return row && { ...row, ...timesOf(row) }
}

export type SessionRow = {
  id: string
  created_at: string
  last_used_at: string
  expires_at: string
  ip_address: string | null
  user_agent: string | null
}

const sessions = fixed<Stored<SessionRow>>(`
  select id, created_at, updated_at as last_used_at, expires_at, ip_address, user_agent
  from sessions where user_id = ? order by created_at desc, id desc`)

/** Those used last come first. */
export async function loadSessions(db: Db, userId: string): Promise<SessionRow[]> {
  return (await sessions(db, [userId])).map((row) => ({ ...row, ...timesOf(row) }))
}

const sessionsIn = fixed<{ id: string }>(`
  select s.id from members m join sessions s on s.user_id = m.user_id where m.workspace_id = ? and s.expires_at > ?`)

/** The sessions of all members of a workspace. */
export async function loadSessionIdsIn(db: Db, workspaceId: string, now: string): Promise<Set<string>> {
  return new Set((await sessionsIn(db, [workspaceId, now])).map(({ id }) => id))
}

const touched = fixed('update sessions set updated_at = ? where id = ?')

export async function replaceSessionUse(db: Db, id: string, at: string): Promise<void> {
  await touched(db, [at, id])
}

export async function deleteSession(inside: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await inside.query
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Ends all sessions of a user but one, where one is named. */
export async function deleteOtherSessions(inside: Db, userId: string, kept: string | null): Promise<void> {
  await inside.query
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(kept !== null, (query) => query.where('id', '<>', kept ?? ''))
    .execute()
}

const sweepExpired = sweeping('sessions', 'expires_at <= ?')

/** Sessions that nobody comes back to. */
export function deleteExpiredSessions(engine: Engine, now: string): Promise<void> {
  return sweepExpired(engine, [now])
}

function timesOf(row: Record<Times, Moment>): Record<Times, string> {
  return {
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    last_used_at: isoTime(row.last_used_at),
  }
}

function isoTime(moment: Moment): string {
  return new Date(moment).toISOString()
}
