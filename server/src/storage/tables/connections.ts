import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import type { ConnectionsTable } from './oauth-tables.ts'
import type { BearerRow } from './tokens.ts'

/** All that a request needs to know about the token of a connection, under the names of a token that somebody made. */
export type ConnectionBearerRow = Omit<BearerRow, 'expires_at'> & {
  /** JSON: what the token itself was given, which may be less than the connection has. */
  scopes: string
  expires_at: string | Date
}

const bearers = fixed<ConnectionBearerRow>(`
  select c.id as token_id, c.workspace_id, w.slug as workspace_slug, w.name as workspace_name, w.fields_version,
    c.user_id, c.abilities, t.scopes, t.expires_at, c.revoked_at, c.last_used_at, m.role,
    w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at
  from oauth_access_tokens t
  join connections c on c.id = t.reference_id
  join workspaces w on w.id = c.workspace_id
  left join members m on m.workspace_id = c.workspace_id and m.user_id = c.user_id
  where t.token = ?`)

/** Runs on every request of a connection, so that its text is fixed and both databases plan it once. */
export async function findConnectionBearer(db: Db, hash: string): Promise<ConnectionBearerRow | undefined> {
  const [row] = await bearers(db, [hash])
  return row
}

export type ConnectionRow = Omit<ConnectionsTable, 'workspace_id'> & {
  user_name: string
  user_email: string
  client_name: string | null
  client_uri: string | null
}

type Listing = { userId?: string | undefined; now: string }

/** Those that can still act, newest first; of one user only, where one is named. */
export function loadConnections(db: Db, workspaceId: string, { userId, now }: Listing): Promise<ConnectionRow[]> {
  return connectionsOf(db, workspaceId)
    .where('connections.revoked_at', 'is', null)
    .where((where) =>
      where.or([
        where.exists(
          where
            .selectFrom('oauth_access_tokens as t')
            .select('t.token')
            .whereRef('t.reference_id', '=', 'connections.id')
            .where('t.expires_at', '>', now),
        ),
        where.exists(
          where
            .selectFrom('oauth_refresh_tokens as t')
            .select('t.token')
            .whereRef('t.reference_id', '=', 'connections.id')
            .where('t.expires_at', '>', now)
            .where('t.revoked', 'is', null),
        ),
      ]),
    )
    .$if(userId !== undefined, (query) => query.where('connections.user_id', '=', userId ?? ''))
    .orderBy('connections.created_at', 'desc')
    .orderBy('connections.id', 'desc')
    .execute()
}

export function findConnection(db: Db, workspaceId: string, id: string): Promise<ConnectionRow | undefined> {
  return connectionsOf(db, workspaceId).where('connections.id', '=', id).executeTakeFirst()
}

export type Granted = Pick<ConnectionsTable, 'id' | 'abilities'>

type Holder = Pick<ConnectionsTable, 'workspace_id' | 'user_id' | 'client_id'>

/** The connection that somebody has granted to a client in a workspace already, unless it was revoked. */
export function findGranted(db: Db, { workspace_id, user_id, client_id }: Holder): Promise<Granted | undefined> {
  return db.query
    .selectFrom('connections')
    .select(['id', 'abilities'])
    .where('client_id', '=', client_id)
    .where('user_id', '=', user_id)
    .where('workspace_id', '=', workspace_id)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Makes a connection, or gives one that is there the abilities that were granted now. */
export async function putConnection(db: Db, connection: ConnectionsTable): Promise<void> {
  await db.query
    .insertInto('connections')
    .values(connection)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ abilities: connection.abilities }))
    .execute()
}

/** Ends a connection for good, and takes its tokens away. */
export async function revokeConnection(inside: Db, workspaceId: string, id: string, at: string): Promise<void> {
  await inside.query
    .updateTable('connections')
    .set({ revoked_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  await inside.query.deleteFrom('oauth_access_tokens').where('reference_id', '=', id).execute()
  await inside.query.deleteFrom('oauth_refresh_tokens').where('reference_id', '=', id).execute()
  await inside.query.deleteFrom('oauth_consents').where('reference_id', '=', id).execute()
}

/** Never goes back: several nodes may tell at once. */
export async function replaceConnectionUse(db: Db, id: string, at: string): Promise<void> {
  await db.query
    .updateTable('connections')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute()
}

function connectionsOf(db: Db, workspaceId: string) {
  return db.query
    .selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .leftJoin('oauth_clients', 'oauth_clients.client_id', 'connections.client_id')
    .select(['connections.id', 'connections.user_id', 'users.name as user_name', 'users.email as user_email'])
    .select(['connections.client_id', 'oauth_clients.name as client_name', 'oauth_clients.uri as client_uri'])
    .select(['connections.abilities', 'connections.last_used_at', 'connections.revoked_at', 'connections.created_at'])
    .where('connections.workspace_id', '=', workspaceId)
}
