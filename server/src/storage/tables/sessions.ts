import type { Role } from '@kith/contract/abilities'
import type { Db } from '../engines/engine.ts'
import { sql, syntaxOf } from '../engines/sql.ts'
import { installationTable } from './table.ts'

/** A time as better-auth stores it: text in SQLite, a timestamp in PostgreSQL. */
type Moment = string | Date

/** The data for a request of the application: its session, user and workspace. */
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
  role: Role | null
  workspace_id: string | null
  workspace_slug: string | null
  workspace_name: string | null
  workspace_number: number | null
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
type StoredRow<Row> = Omit<Row, Times> & Record<Times, Moment>

/** Runs on every request of the application. */
export async function findSessionUserRow(db: Db, tokenHash: string, slug: string): Promise<SessionUserRow | undefined> {
  // PostgreSQL accepts no NUL in a parameter. No workspace has an empty slug.
  const safeSlug = slug.includes('\0') ? '' : slug
  const row = await sql<StoredRow<SessionUserRow>>`
    select s.id as session_id, s.created_at, s.expires_at, s.updated_at as last_used_at, s.second_factor,
      u.id as user_id, u.name as user_name, u.email as user_email, m.role, w.id as workspace_id,
      w.slug as workspace_slug, w.name as workspace_name,
      w.number as workspace_number, w.fields_version,
      w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at,
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

export const sessionTable = installationTable<{
  id: string
  user_id: string
  updated_at: string
  second_factor: string | null
}>('sessions')

/** Newest first. */
export async function loadSessions(db: Db, userId: string): Promise<SessionRow[]> {
  const rows = await sql<StoredRow<SessionRow>>`
    select id, created_at, updated_at as last_used_at, expires_at, ip_address, user_agent
    from sessions where user_id = ${userId} order by created_at desc, id desc`.all(db)
  return rows.map((row) => ({ ...row, ...timesOf(row) }))
}

/** The sessions of all members of a workspace. */
export async function loadSessionIdsIn(db: Db, workspaceId: string, now: string): Promise<Set<string>> {
  const ids = sql<string>`select s.id from members m join sessions s on s.user_id = m.user_id
    where m.workspace_id = ${workspaceId} and s.expires_at > ${now}`
  return new Set(await ids.column(db))
}

/** Ends all sessions of a user except one, if given. */
export async function deleteOtherSessions(inside: Db, userId: string, kept: string | null): Promise<void> {
  const others = kept === null ? sql`` : sql`and id <> ${kept}`
  await sql`delete from sessions where user_id = ${userId} ${others}`.run(inside)
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

/** The ways in which a user can sign in, and the second factor of the current session. */
type FactorsRow = {
  two_factor_enabled: boolean | number
  passwords: number
  providers: number
  second_factor: string | null
}

export function findFactors(db: Db, userId: string, sessionId: string): Promise<FactorsRow | undefined> {
  return sql<FactorsRow>`select u.two_factor_enabled, s.second_factor,
      (select count(*) from accounts a
        where a.user_id = u.id and a.provider_id = 'credential' and a.password is not null) as passwords,
      (select count(*) from accounts a where a.user_id = u.id and a.provider_id = 'oidc') as providers
    from users u left join sessions s on s.user_id = u.id and s.id = ${sessionId} where u.id = ${userId}`.one(db)
}

type PasskeyRow = { id: string; name: string | null; created_at: string | null; backed_up: boolean }

export const passkeyTable = installationTable<{ id: string; user_id: string; name: string | null }>('passkeys')

/** The ways to sign in: a password, or an account of a provider. */
export const credentialTable = installationTable<{ user_id: string; provider_id: string; account_id: string }>(
  'accounts',
)

/** Of authenticator apps: the encrypted secret. */
export const codeTable = installationTable<{ user_id: string; secret: string }>('two_factors')

/** `value`: the user whose password was right and who must enter a code next. */
export const challengeTable = installationTable<{ identifier: string; value: string }>('verifications')

export async function loadPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  const rows = await sql<
    { created_at: string | Date | null; backed_up: boolean | number } & Pick<PasskeyRow, 'id' | 'name'>
  >`select id, name, created_at, backed_up from passkeys
    where user_id = ${userId} order by created_at, id`.all(db)
  return rows.map(({ created_at, backed_up, ...row }) => ({
    ...row,
    created_at: created_at === null ? null : new Date(created_at).toISOString(),
    backed_up: backed_up === true || backed_up === 1,
  }))
}

export async function findPasskeyHolder(db: Db, credentialId: string): Promise<string | undefined> {
  // PostgreSQL accepts no NUL in a parameter.
  if (credentialId.includes('\0')) return undefined
  return sql<string>`select user_id from passkeys where credential_id = ${credentialId}`.value(db)
}

/** Stores the time step of a code. False when this one or a later one was stored before. */
export async function claimCodeStep(db: Db, userId: string, step: number): Promise<boolean> {
  const claimed = await sql`update two_factors set last_step = ${step}
    where user_id = ${userId} and (last_step is null or last_step < ${step})`.run(db)
  return claimed > 0
}

/** Trusted browsers must enter a code again. */
export async function deleteTrustedDevices(inside: Db, userId: string): Promise<void> {
  await sql`delete from verifications where value = ${userId} and identifier like 'trust-device-%'`.run(inside)
}

export async function deleteFactors(inside: Db, userId: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${userId}`.run(inside)
  await sql`delete from two_factors where user_id = ${userId}`.run(inside)
  const off = syntaxOf(inside.session).flag(false)
  await sql`update users set two_factor_enabled = ${off} where id = ${userId}`.run(inside)
  await deleteTrustedDevices(inside, userId)
}
