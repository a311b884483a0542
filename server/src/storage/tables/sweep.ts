import type { Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** Tables whose rows expire. */
const expiring = [
  ...['sessions', 'verifications', 'password_links', 'email_links'],
  ...['oauth_access_tokens', 'oauth_refresh_tokens'],
]

export async function sweepExpired(engine: Engine, now: string): Promise<void> {
  for (const table of expiring) await sweep(engine, table, sql`expires_at <= ${now}`)
}

/** Deletes sessions that were last used before a time. */
export function sweepIdleSessions(engine: Engine, before: string): Promise<void> {
  return sweep(engine, 'sessions', sql`updated_at <= ${before}`)
}

/** Deletes codes that were used before a time. */
export function sweepUsedCodes(engine: Engine, before: string): Promise<void> {
  return sweep(engine, 'oauth_codes', sql`used_at < ${before}`)
}

/** Deletes clients that registered before a time and have no connection. */
export function sweepClients(engine: Engine, before: string): Promise<void> {
  const unused = sql`not exists (select 1 from connections c where c.client_id = oauth_clients.client_id)`
  return sweep(engine, 'oauth_clients', sql`created_at < ${before} and ${unused}`)
}

/** Deletes the rows that meet a condition. Reads first, so that nothing writes when there are none. */
async function sweep(engine: Engine, table: string, condition: Sql<unknown>): Promise<void> {
  const matching = sql`from ${sql.table(table)} where ${condition}`
  if (await sql`select 1 as found ${matching} limit 1`.exists(engine.db))
    await sql`delete ${matching}`.run(engine.single)
}
