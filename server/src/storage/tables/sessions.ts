import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** A time as better-auth stores it: text in SQLite, a timestamp in PostgreSQL. */
type Moment = string | Date

/** What a request of the application needs: its session, user and the workspace that it names. */
export type SessionUserRow = {
  session_id: string
  created_at: string
  expires_at: string
  last_used_at: string
  /** The second factor with which the session began. */
  second_factor: string | null
  user_id: string
  user_name: string
  user_email: string
  /** Null when no workspace has the slug or the user is not a member of it. */
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
  /** Sessions of this member that began before this time do not open the workspace. */
  sessions_ended_at: string | null
  /** 1 where the user has a passkey or an authenticator app. */
  has_factor: number
}

type Times = 'created_at' | 'expires_at' | 'last_used_at'
type Stored<Row> = Omit<Row, Times> & Record<Times, Moment>

/** Runs on every request of the application. */
export async function findSessionUserRow(db: Db, tokenHash: string, slug: string): Promise<SessionUserRow | undefined> {
  // PostgreSQL accepts no NUL in a parameter. No workspace has an empty slug.
  const safeSlug = slug.includes('\0') ? '' : slug
  const row = await sql<Stored<SessionUserRow>>`
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
    left join workspaces w on w.slug = ${safeSlug}
    left join members m on m.workspace_id = w.id and m.user_id = u.id
    where s.token = ${tokenHash}`.one(db)
  return row && { ...row, ...timesOf(row) }
}

type SessionRow = {
  id: string
  created_at: string
  last_used_at: string
  expires_at: string
  ip_address: string | null
  user_agent: string | null
}

/** Newest first. */
export async function loadSessions(db: Db, userId: string): Promise<SessionRow[]> {
  const rows = await sql<Stored<SessionRow>>`
    select id, created_at, updated_at as last_used_at, expires_at, ip_address, user_agent
    from sessions where user_id = ${userId} order by created_at desc, id desc`.all(db)
  return rows.map((row) => ({ ...row, ...timesOf(row) }))
}

/** The sessions of all members of a workspace. */
export async function loadSessionIdsIn(db: Db, workspaceId: string, now: string): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`select s.id from members m join sessions s on s.user_id = m.user_id
    where m.workspace_id = ${workspaceId} and s.expires_at > ${now}`.all(db)
  return new Set(rows.map(({ id }) => id))
}

export async function replaceSessionUse(db: Db, id: string, at: string): Promise<void> {
  await sql`update sessions set updated_at = ${at} where id = ${id}`.run(db)
}

export async function deleteSession(inside: Db, userId: string, id: string): Promise<boolean> {
  return (await sql`delete from sessions where user_id = ${userId} and id = ${id}`.run(inside)) > 0
}

/** Ends all sessions of a user except one, if given. */
export async function deleteOtherSessions(inside: Db, userId: string, kept: string | null): Promise<void> {
  const others = kept === null ? sql`` : sql`and id <> ${kept}`
  await sql`delete from sessions where user_id = ${userId} ${others}`.run(inside)
}

/** Stores the second factor with which a session began. */
export async function replaceSessionFactor(
  inside: Db,
  { user_id, session_id, factor }: { user_id: string; session_id: string; factor: string | null },
): Promise<void> {
  await sql`update sessions set second_factor = ${factor} where user_id = ${user_id} and id = ${session_id}`.run(inside)
}

/** Sessions that began with a factor that was removed count as sessions without one. */
export async function clearSessionFactors(inside: Db, userId: string, factors: readonly string[]): Promise<void> {
  if (factors.length === 0) return
  await sql`update sessions set second_factor = null
    where user_id = ${userId} and second_factor in (${sql.join(factors)})`.run(inside)
}

export function hasStrongSession(db: Db, userId: string): Promise<boolean> {
  return sql`select 1 as found from sessions
    where user_id = ${userId} and second_factor is not null limit 1`.exists(db)
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
