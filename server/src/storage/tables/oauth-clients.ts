import type { Db, Engine } from '../engines/engine.ts'
import type { OauthClientsTable } from './oauth-tables.ts'
import { sweeping } from './sweeping.ts'

export type ClientRow = Pick<OauthClientsTable, 'client_id' | 'name' | 'uri' | 'redirect_uris'>

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return db.query
    .selectFrom('oauth_clients')
    .select(['client_id', 'name', 'uri', 'redirect_uris'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

const sweepAccess = sweeping('oauth_access_tokens', 'expires_at < ?')
const sweepRefresh = sweeping('oauth_refresh_tokens', 'expires_at < ?')
/** Clients that registered before a moment and were never let in. */
export const sweepClients = sweeping(
  'oauth_clients',
  'created_at < ? and not exists (select 1 from connections c where c.client_id = oauth_clients.client_id)',
)

/** Tokens that have ended. */
export async function sweepTokens(engine: Engine, ended: string): Promise<void> {
  await sweepAccess(engine, [ended])
  await sweepRefresh(engine, [ended])
}
