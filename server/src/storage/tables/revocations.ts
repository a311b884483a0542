import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'

/** A token or a connection that was revoked. */
export type RevokedRow = { id: string; workspace_id: string; name: string | null }

const tokensInWorkspace = fixed<RevokedRow>(
  `update tokens set revoked_at = ? where user_id = ? and workspace_id = ? and revoked_at is null
   returning id, workspace_id, name`,
)
const allTokens = fixed<RevokedRow>(
  'update tokens set revoked_at = ? where user_id = ? and revoked_at is null returning id, workspace_id, name',
)

/** Revokes the tokens of a user: in one workspace, or in all of them. */
export function revokeTokensOf(inside: Db, userId: string, where: Where): Promise<RevokedRow[]> {
  const { workspaceId, at } = where
  return workspaceId === null ? allTokens(inside, [at, userId]) : tokensInWorkspace(inside, [at, userId, workspaceId])
}

type Where = { workspaceId: string | null; at: string }

const NAMED = '(select c.name from oauth_clients c where c.client_id = connections.client_id) as name'
const connectionsInWorkspace = fixed<RevokedRow>(
  `update connections set revoked_at = ? where user_id = ? and workspace_id = ? and revoked_at is null
   returning id, workspace_id, ${NAMED}`,
)
const allConnections = fixed<RevokedRow>(
  `update connections set revoked_at = ? where user_id = ? and revoked_at is null returning id, workspace_id, ${NAMED}`,
)

const OF_REVOKED = `user_id = ? and reference_id in (select id from connections where user_id = ? and revoked_at is not null)`
const refreshTokens = fixed(`delete from oauth_refresh_tokens where ${OF_REVOKED}`)
const consents = fixed(`delete from oauth_consents where ${OF_REVOKED}`)

/** Likewise the connections. Their access tokens are refused with them, and are swept when they expire. */
export async function revokeConnectionsOf(inside: Db, userId: string, where: Where): Promise<RevokedRow[]> {
  const { workspaceId, at } = where
  const revoked = await (workspaceId === null
    ? allConnections(inside, [at, userId])
    : connectionsInWorkspace(inside, [at, userId, workspaceId]))
  // Access tokens would be deleted with the refresh tokens they refer to.
  await detached(inside, [userId, userId])
  await refreshTokens(inside, [userId, userId])
  await consents(inside, [userId, userId])
  return revoked
}

const detached = fixed(`update oauth_access_tokens set refresh_id = null where ${OF_REVOKED}`)
