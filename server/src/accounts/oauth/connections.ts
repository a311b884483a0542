import type { Connection } from '@kith/contract/app/connections'
import { parseId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import { refuseUnknownId } from '@kith/contract/refusal'
import { noteWrite } from '../../audit/write.ts'
import { inTransaction, type Scope } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  type ConnectionRow,
  findConnection,
  findConnectionBearer,
  loadConnections,
  revokeConnection,
} from '../../storage/tables/connections.ts'
import { abilitiesOf, type Bearer } from '../tokens.ts'

/** The active connections of the actor; owners and admins see all of the workspace. */
export async function listConnections(scope: Scope): Promise<Connection[]> {
  const userId = roleMay(scope.actor.role, 'see_all_tokens') ? undefined : scope.actor.user_id
  const now = scope.now().toISOString()
  return (await loadConnections(scope.db, scope.workspace.id, { userId, now })).map(presentConnection)
}

/** Revokes a connection: its next request and refresh are refused on every node. */
export function removeConnection(scope: Scope, id: string): Promise<void> {
  return inTransaction(scope, async (inside) => {
    const found = await findConnection(inside.db, inside.workspace.id, parseId(id) ?? '')
    const mayEnd = found && (roleMay(inside.actor.role, 'see_all_tokens') || found.user_id === inside.actor.user_id)
    if (!mayEnd || found.revoked_at !== null) {
      refuseUnknownId('connection', id)
    }
    const at = inside.now().toISOString()
    await revokeConnection(inside.db, { workspace_id: inside.workspace.id, id: found.id, at })
    const name = nameOf(found.client_name)
    await noteWrite(inside, [{ action: 'revoke', resource: 'tokens', record_id: found.id, name }])
  })
}

/** The bearer of a connection's token, in one statement. `findBearer` does the same for personal tokens. */
export async function findBearerOfConnection(db: Db, hash: string, versioned = false): Promise<Bearer | undefined> {
  const row = await findConnectionBearer(db, hash, versioned)
  if (!row) return undefined
  const { scopes, expires_at, abilities, ...facts } = row
  return {
    ...facts,
    // A token may have fewer abilities than its connection, and the connection may have fewer than before.
    abilities: abilitiesOf(abilities).filter((ability) => scopes.includes(`"${ability}"`)),
    expires_at: new Date(expires_at).toISOString(),
    connection: true,
  }
}

/** The name of a client; the name is optional. */
export function nameOf(clientName: string | null): string {
  return clientName ?? 'A program without a name'
}

function presentConnection(row: ConnectionRow): Connection {
  const { id, abilities, last_used_at, created_at } = row
  return {
    id,
    client: { id: row.client_id, name: nameOf(row.client_name), uri: row.client_uri },
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    abilities: abilitiesOf(abilities),
    last_used_at,
    created_at,
  }
}
