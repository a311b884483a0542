import type { Db } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { type BearerRow, withVersion } from './tokens.ts'

/** The data for a request of a connection, with the column names of `BearerRow`. */
type ConnectionBearerRow = Omit<BearerRow, 'expires_at'> & {
  /** JSON: the scopes of the token, which may be fewer than those of the connection. */
  scopes: string
  expires_at: string | Date
}

/** Runs on every request of a connection. */
export function findConnectionBearer(
  db: Db,
  hash: string,
  versioned: boolean,
): Promise<ConnectionBearerRow | undefined> {
  return (versioned ? withVersion(bearerOf(hash)) : bearerOf(hash)).one(db)
}

function bearerOf(hash: string): Sql<ConnectionBearerRow> {
  return sql`
    select c.id as token_id, c.workspace_id, w.slug as workspace_slug, w.name as workspace_name,
      w.number as workspace_number, w.fields_version,
      c.user_id, c.abilities, t.scopes, t.expires_at, c.revoked_at, c.last_used_at, m.role,
      w.trial_ends_at, w.subscription_status, w.complimentary, w.paused_at
    from oauth_access_tokens t
    join connections c on c.id = t.reference_id
    join workspaces w on w.id = c.workspace_id
    left join members m on m.workspace_id = c.workspace_id and m.user_id = c.user_id
    where t.token = ${hash}`
}

/** A program that a member has connected to a workspace, and its abilities there. Its tokens refer to it. */
type StoredConnection = {
  id: string
  workspace_id: string
  user_id: string
  client_id: string
  abilities: string
  last_used_at: string | null
  revoked_at: string | null
  created_at: string
}

export type ConnectionRow = Omit<StoredConnection, 'workspace_id'> & {
  user_name: string
  user_email: string
  client_name: string | null
  client_uri: string | null
}

/** Those that can still act, newest first; of one user only, if given. */
export function loadConnections(
  db: Db,
  workspaceId: string,
  { userId, now }: { userId?: string | undefined; now: string },
): Promise<ConnectionRow[]> {
  const own = userId === undefined ? sql`` : sql`and c.user_id = ${userId}`
  return sql<ConnectionRow>`${connectionsOf(workspaceId)} ${own} and ${canAct(now)}
    order by c.created_at desc, c.id desc`.all(db)
}

/** For so long a connection without other tokens counts as one that is being refreshed. */
const REFRESHING_MS = 60_000

/** A connection that is not revoked, and has a token. A refresh marks the old token before it creates the new ones. */
function canAct(now: string): Sql<unknown> {
  const recently = new Date(Date.parse(now) - REFRESHING_MS).toISOString()
  return sql`c.revoked_at is null and (
    exists (select 1 from oauth_access_tokens t where t.reference_id = c.id and t.expires_at > ${now})
    or exists (select 1 from oauth_refresh_tokens t where t.reference_id = c.id and t.expires_at > ${now}
      and (t.revoked is null or t.revoked > ${recently})))`
}

/** Whether a token or a connection with this id is neither revoked nor expired. */
export function worksAt(id: string, at: Date): Sql<unknown> {
  const now = at.toISOString()
  return sql`(exists (select 1 from tokens t where t.id = ${id} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now}))
    or exists (select 1 from connections c where c.id = ${id} and ${canAct(now)}))`
}

export function findConnection(db: Db, workspaceId: string, id: string): Promise<ConnectionRow | undefined> {
  return sql<ConnectionRow>`${connectionsOf(workspaceId)} and c.id = ${id}`.one(db)
}

function connectionsOf(workspaceId: string): Sql<unknown> {
  return sql`select c.id, c.user_id, u.name as user_name, u.email as user_email, c.client_id, o.name as client_name,
      o.uri as client_uri, c.abilities, c.last_used_at, c.revoked_at, c.created_at
    from connections c join users u on u.id = c.user_id
    left join oauth_clients o on o.client_id = c.client_id where c.workspace_id = ${workspaceId}`
}

type Grant = Pick<StoredConnection, 'id' | 'abilities'>

/** The connection of a user to a client in a workspace, unless it was revoked. */
export function findGranted(
  db: Db,
  { workspace_id, user_id, client_id }: Pick<StoredConnection, 'workspace_id' | 'user_id' | 'client_id'>,
): Promise<Grant | undefined> {
  return sql<Grant>`select id, abilities from connections where client_id = ${client_id} and user_id = ${user_id}
    and workspace_id = ${workspace_id} and revoked_at is null order by id limit 1`.one(db)
}

/** Inserts a connection, or replaces the abilities of an existing one. */
export async function putConnection(db: Db, connection: StoredConnection): Promise<void> {
  await sql`insert into connections ${sql.values(connection)}
    on conflict (id) do update set abilities = excluded.abilities`.run(db)
}

/** Revokes a connection and deletes its tokens. */
export async function revokeConnection(
  inside: Db,
  { workspace_id, id, at }: { workspace_id: string; id: string; at: string },
): Promise<void> {
  await sql`update connections set revoked_at = ${at}
    where workspace_id = ${workspace_id} and id = ${id} and revoked_at is null`.run(inside)
  await sql`delete from oauth_access_tokens where reference_id = ${id}`.run(inside)
  await sql`delete from oauth_refresh_tokens where reference_id = ${id}`.run(inside)
  await sql`delete from oauth_consents where reference_id = ${id}`.run(inside)
}

/** `redirect_uris` is JSON: a list of addresses. */
export type ClientRow = {
  client_id: string
  name: string | null
  uri: string | null
  redirect_uris: string
  created_at: string | Date
}

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return sql<ClientRow>`select client_id, name, uri, redirect_uris, created_at from oauth_clients
    where client_id = ${clientId}`.one(db)
}

/**
 * Stores what the document of a client says. `created_at` is when it was read: a later reading wins, and a client that
 * nobody connects is deleted a day after it.
 */
export async function putDocumentClient(db: Db, client: ClientRow & { id: string; created_at: string }): Promise<void> {
  const { id, client_id, name, uri, redirect_uris, created_at } = client
  await sql`insert into oauth_clients
      (id, client_id, name, uri, redirect_uris, token_endpoint_auth_method, public, created_at, updated_at)
    values (${id}, ${client_id}, ${name}, ${uri}, ${redirect_uris}, 'none', true, ${created_at}, ${created_at})
    on conflict (client_id) do update set name = excluded.name, uri = excluded.uri,
      redirect_uris = excluded.redirect_uris, created_at = excluded.created_at, updated_at = excluded.updated_at
    where oauth_clients.created_at < excluded.created_at`.run(db)
}

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

/** Whether there is such a code, used or not. */
export function isKnownCode(db: Db, hash: string): Promise<boolean> {
  return sql`select 1 as found from verifications where identifier = ${hash}
    union all select 1 from oauth_codes where hash = ${hash}`.exists(db)
}

/** Marks a code as used. False when it was used before or never existed. */
export async function claimCode(db: Db, hash: string, at: string): Promise<boolean> {
  const claimed = await sql`insert into oauth_codes (hash, used_at)
    select ${hash}, ${at} from verifications where identifier = ${hash} on conflict (hash) do nothing`.run(db)
  return claimed > 0
}

export type UsedCode = { reference_id: string | null; used_at: string; replayed: number }

/** Stores which connection got its tokens for a code. */
export function settleCode(db: Db, hash: string, accessToken: string): Promise<UsedCode | undefined> {
  return sql<UsedCode>`update oauth_codes
    set reference_id = (select reference_id from oauth_access_tokens where token = ${accessToken})
    where hash = ${hash} returning reference_id, used_at, replayed`.one(db)
}

/** Stores that a code was sent again; undefined when it never existed. */
export function replayCode(db: Db, hash: string): Promise<UsedCode | undefined> {
  return sql<UsedCode>`update oauth_codes set replayed = 1 where hash = ${hash}
    returning reference_id, used_at, replayed`.one(db)
}

/** Deletes the tokens that a connection has got since a time. */
export async function deleteTokensSince(db: Db, referenceId: string, at: string): Promise<void> {
  await sql`delete from oauth_access_tokens where reference_id = ${referenceId} and created_at >= ${at}`.run(db)
  await sql`delete from oauth_refresh_tokens where reference_id = ${referenceId} and created_at >= ${at}`.run(db)
}

/** Gives a refresh token the scopes of the one before. */
export async function keepRefreshScopes(db: Db, before: string, after: string): Promise<void> {
  await sql`update oauth_refresh_tokens
    set scopes = (select old.scopes from oauth_refresh_tokens old where old.token = ${before})
    where token = ${after} and exists (select 1 from oauth_refresh_tokens old where old.token = ${before})`.run(db)
}

/** Whether a client has a token with this hash. */
export function isTokenOf(db: Db, hash: string, clientId: string): Promise<boolean> {
  return sql`
    select 1 as found from oauth_refresh_tokens where token = ${hash} and client_id = ${clientId}
    union all select 1 from oauth_access_tokens where token = ${hash} and client_id = ${clientId}`.exists(db)
}

/** Deletes a revoked token: a refresh token with all tokens of its connection, an access token alone. */
export async function deleteRevokedToken(db: Db, hash: string, clientId: string): Promise<void> {
  const connection = sql`(select r.reference_id from oauth_refresh_tokens r
    where r.token = ${hash} and r.client_id = ${clientId})`
  await sql`delete from oauth_access_tokens where client_id = ${clientId}
    and (token = ${hash} or reference_id = ${connection})`.run(db)
  // Access tokens that were created meanwhile are deleted with their refresh token.
  await sql`delete from oauth_refresh_tokens where client_id = ${clientId} and reference_id = ${connection}`.run(db)
}
