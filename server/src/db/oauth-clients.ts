import type { Db } from './engine.ts'
import type { OauthClientsTable } from './tables.ts'

export type ClientRow = Pick<OauthClientsTable, 'client_id' | 'name' | 'uri' | 'redirect_uris'>

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return db.query
    .selectFrom('oauth_clients')
    .select(['client_id', 'name', 'uri', 'redirect_uris'])
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

/** Takes away tokens that have ended, and clients that registered before a moment and were never let in. */
export async function sweepOAuth(db: Db, { ended, unused }: { ended: string; unused: string }): Promise<void> {
  await db.query.deleteFrom('oauth_access_tokens').where('expires_at', '<', ended).execute()
  await db.query.deleteFrom('oauth_refresh_tokens').where('expires_at', '<', ended).execute()
  await db.query
    .deleteFrom('oauth_clients')
    .where('created_at', '<', unused)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('connections')
            .select('id')
            .whereRef('connections.client_id', '=', 'oauth_clients.client_id'),
        ),
      ),
    )
    .execute()
}
