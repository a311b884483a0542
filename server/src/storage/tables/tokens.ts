import type { Role } from '@kith/contract/abilities'
import type { Db } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** The data for a request: its token, member and workspace. */
export type BearerRow = {
  token_id: string
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  workspace_number: number
  fields_version: number
  user_id: string
  abilities: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** Null when the user has left the workspace. */
  role: Role | null
  trial_ends_at: string
  subscription_status: string | null
  complimentary: number
  paused_at: string | null
  /** The version of the workspace, where it was asked for. */
  version?: number
}

/** Runs on every request. */
export function findBearerRow(db: Db, hash: string, versioned: boolean): Promise<BearerRow | undefined> {
  return (versioned ? withVersion(bearerOf(hash)) : bearerOf(hash)).one(db)
}

/** The rows of a statement, with the version of their workspace: it grows with every write there. */
export function withVersion<Row extends { workspace_id: string }>(rows: Sql<Row>): Sql<Row> {
  return sql`select b.*, (select coalesce(sum(c.version), 0) from record_counts c
    where c.workspace_id = b.workspace_id) as version from (${rows}) b`
}

function bearerOf(hash: string): Sql<BearerRow> {
  return sql`
    select t.id as token_id, t.workspace_id, w.slug as workspace_slug, w.name as workspace_name,
      w.number as workspace_number, w.fields_version,
      t.user_id, t.abilities, t.expires_at, t.revoked_at, t.last_used_at, m.role,
      w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at
    from tokens t
    join workspaces w on w.id = t.workspace_id
    left join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
    where t.hash = ${hash}`
}

/** How many tokens of a member are neither revoked nor expired. */
export function countWorkingTokens(
  db: Db,
  { workspace_id, user_id }: { workspace_id: string; user_id: string },
  now: string,
): Promise<number> {
  return sql`select count(*) as n from tokens where workspace_id = ${workspace_id}
    and user_id = ${user_id} and revoked_at is null and (expires_at is null or expires_at > ${now})`.count(db)
}

export type TokenRow = {
  id: string
  user_id: string
  user_name: string
  user_email: string
  name: string
  abilities: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  created_at: string
}

export function findToken(db: Db, workspaceId: string, id: string): Promise<TokenRow | undefined> {
  return sql<TokenRow>`${tokensOf(workspaceId)} and t.id = ${id}`.one(db)
}

/** Newest first; of one user only, if given. */
export function loadTokens(db: Db, workspaceId: string, userId?: string): Promise<TokenRow[]> {
  const own = userId === undefined ? sql`` : sql`and t.user_id = ${userId}`
  return sql<TokenRow>`${tokensOf(workspaceId)} ${own} order by t.created_at desc, t.id desc`.all(db)
}

function tokensOf(workspaceId: string): Sql<unknown> {
  return sql`select t.id, t.user_id, u.name as user_name, u.email as user_email, t.name, t.abilities, t.expires_at,
      t.last_used_at, t.revoked_at, t.created_at
    from tokens t join users u on u.id = t.user_id where t.workspace_id = ${workspaceId}`
}

export async function insertToken(
  inside: Db,
  token: Omit<TokenRow, 'user_name' | 'user_email'> & { workspace_id: string; hash: string },
): Promise<void> {
  await sql`insert into tokens ${sql.values(token)}`.run(inside)
}

/** False when the token was revoked before. It keeps its first time. */
export async function replaceRevokedAt(
  inside: Db,
  { workspace_id, id, at }: { workspace_id: string; id: string; at: string },
): Promise<boolean> {
  const revoked = await sql`update tokens set revoked_at = ${at}
    where workspace_id = ${workspace_id} and id = ${id} and revoked_at is null`.run(inside)
  return revoked > 0
}

/** Never goes back: several nodes may write at once. */
export async function replaceLastUsedAt(
  db: Db,
  { table, id, at }: { table: 'tokens' | 'connections'; id: string; at: string },
): Promise<void> {
  await sql`update ${sql.table(table)} set last_used_at = ${at}
    where id = ${id} and (last_used_at is null or last_used_at < ${at})`.run(db)
}
