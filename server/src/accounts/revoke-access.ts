import { type AuditEntry, noteWrite } from '../audit/write.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { type RevokedRow, revokeConnectionsOf, revokeTokensOf } from '../storage/tables/connections.ts'
import { deleteOtherSessions } from '../storage/tables/sessions.ts'

/** Revokes the tokens and connections of a removed member permanently, even if they are invited again. */
export async function revokeInWorkspace(inside: Scope, userId: string): Promise<void> {
  const where = { workspaceId: inside.workspace.id, at: inside.now().toISOString() }
  const entries = entriesOf(await revokeAll(inside.db, userId, where))
  if (entries.length > 0) await noteWrite(inside, entries)
}

/** Revokes all access of a user in every workspace: it may come from someone who knew the old password. */
export async function revokeEverywhere(runtime: Runtime, inside: Db, userId: string): Promise<void> {
  await deleteOtherSessions(inside, userId, null)
  const revoked = await revokeAll(inside, userId, { workspaceId: null, at: runtime.now().toISOString() })
  const actor = { user_id: userId, source: 'web', token_id: null } as const
  for (const [id, rows] of Map.groupBy(revoked, (one) => one.workspace_id)) {
    await noteWrite({ engine: runtime.engine, db: inside, now: runtime.now, workspace: { id }, actor }, entriesOf(rows))
  }
}

type Where = Parameters<typeof revokeTokensOf>[2]

async function revokeAll(inside: Db, userId: string, where: Where): Promise<RevokedRow[]> {
  const tokens = await revokeTokensOf(inside, userId, where)
  const connections = await revokeConnectionsOf(inside, userId, where)
  return [...tokens, ...connections]
}

function entriesOf(rows: readonly RevokedRow[]): AuditEntry[] {
  return rows.map(({ id, name }) => ({ action: 'revoke', resource: 'tokens', record_id: id, name }))
}
