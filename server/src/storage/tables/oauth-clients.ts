import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { sweep } from './sweep.ts'

/** `redirect_uris` is JSON: a list of addresses. */
export type ClientRow = { client_id: string; name: string | null; uri: string | null; redirect_uris: string }

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return sql<ClientRow>`select client_id, name, uri, redirect_uris from oauth_clients
    where client_id = ${clientId}`.one(db)
}

/** Deletes clients that registered before a time and have no connection. */
export function sweepClients(engine: Engine, before: string): Promise<void> {
  const unused = sql`not exists (select 1 from connections c where c.client_id = oauth_clients.client_id)`
  return sweep(engine, 'oauth_clients', sql`created_at < ${before} and ${unused}`)
}

/** Deletes expired tokens. */
export async function sweepTokens(engine: Engine, ended: string): Promise<void> {
  await sweep(engine, 'oauth_access_tokens', sql`expires_at < ${ended}`)
  await sweep(engine, 'oauth_refresh_tokens', sql`expires_at < ${ended}`)
}
