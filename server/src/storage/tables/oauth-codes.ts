import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

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
