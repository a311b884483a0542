import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** `redirect_uris` is JSON: a list of addresses. */
export type ClientRow = { client_id: string; name: string | null; uri: string | null; redirect_uris: string }

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return sql<ClientRow>`select client_id, name, uri, redirect_uris from oauth_clients
    where client_id = ${clientId}`.one(db)
}
