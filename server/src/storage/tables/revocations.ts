import type { Db } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** A token or a connection that was revoked. */
export type RevokedRow = { id: string; workspace_id: string; name: string | null }

type Where = { workspaceId: string | null; at: string }

/** Revokes the tokens of a user: in one workspace, or in all. */
export function revokeTokensOf(inside: Db, userId: string, { workspaceId, at }: Where): Promise<RevokedRow[]> {
  return sql<RevokedRow>`update tokens set revoked_at = ${at} where user_id = ${userId} ${isIn(workspaceId)}
    and revoked_at is null returning id, workspace_id, name`.all(inside)
}

/** Revokes the connections. Their access tokens stop working with them, and are deleted when they expire. */
export async function revokeConnectionsOf(inside: Db, userId: string, where: Where): Promise<RevokedRow[]> {
  const revoked = await sql<RevokedRow>`update connections set revoked_at = ${where.at}
    where user_id = ${userId} ${isIn(where.workspaceId)} and revoked_at is null returning id, workspace_id,
      (select c.name from oauth_clients c where c.client_id = connections.client_id) as name`.all(inside)
  const ofRevoked = sql`user_id = ${userId} and reference_id in (
    select id from connections where user_id = ${userId} and revoked_at is not null)`
  // Detached first: access tokens would be deleted with the refresh tokens they refer to.
  await sql`update oauth_access_tokens set refresh_id = null where ${ofRevoked}`.run(inside)
  await sql`delete from oauth_refresh_tokens where ${ofRevoked}`.run(inside)
  await sql`delete from oauth_consents where ${ofRevoked}`.run(inside)
  return revoked
}

function isIn(workspaceId: string | null): Sql<unknown> {
  return workspaceId === null ? sql`` : sql`and workspace_id = ${workspaceId}`
}
