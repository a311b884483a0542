import type { Db, Engine } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

const known = fixed(
  'select 1 as found from verifications where identifier = ? union all select 1 from oauth_codes where hash = ?',
)

/** Whether there is such a code, used or not. */
export async function isKnownCode(db: Db, hash: string): Promise<boolean> {
  return (await known(db, [hash, hash])).length > 0
}

const claimed = fixedOutcome(
  `insert into oauth_codes (hash, used_at)
   select ?, ? from verifications where identifier = ? on conflict (hash) do nothing`,
)

/** Notes that a code is used. False when it was used before, or never existed. */
export async function claimCode(db: Db, hash: string, at: string): Promise<boolean> {
  return (await claimed(db, [hash, at, hash])).affected > 0
}

export type UsedCode = { reference_id: string | null; used_at: string; replayed: number }

const settled = fixed<UsedCode>(
  `update oauth_codes set reference_id = (select reference_id from oauth_access_tokens where token = ?)
   where hash = ? returning reference_id, used_at, replayed`,
)

/** Notes which connection got its tokens for a code. */
export async function settleCode(db: Db, hash: string, accessToken: string): Promise<UsedCode | undefined> {
  return (await settled(db, [accessToken, hash]))[0]
}

const replayed = fixed<UsedCode>(
  'update oauth_codes set replayed = 1 where hash = ? returning reference_id, used_at, replayed',
)

/** Notes that a code was sent again; undefined when it never existed. */
export async function replayCode(db: Db, hash: string): Promise<UsedCode | undefined> {
  return (await replayed(db, [hash]))[0]
}

const accessSince = fixed('delete from oauth_access_tokens where reference_id = ? and created_at >= ?')
const refreshSince = fixed('delete from oauth_refresh_tokens where reference_id = ? and created_at >= ?')

/** Takes away the tokens that a connection was given since a moment. */
export async function deleteTokensSince(db: Db, referenceId: string, at: string): Promise<void> {
  await accessSince(db, [referenceId, at])
  await refreshSince(db, [referenceId, at])
}

const sweepUsed = sweeping('oauth_codes', 'used_at < ?')

/** Forgets codes that were used before a moment. */
export function sweepUsedCodes(engine: Engine, before: string): Promise<void> {
  return sweepUsed(engine, [before])
}

const given = fixed(
  `select 1 as found from oauth_refresh_tokens where token = ? and client_id = ?
   union all select 1 from oauth_access_tokens where token = ? and client_id = ?`,
)

/** Whether a client has a token with this hash. */
export async function isTokenOf(db: Db, hash: string, clientId: string): Promise<boolean> {
  return (await given(db, [hash, clientId, hash, clientId])).length > 0
}

const GRANT = '(select r.reference_id from oauth_refresh_tokens r where r.token = ? and r.client_id = ?)'
const accessGivenBack = fixed(
  `delete from oauth_access_tokens where client_id = ? and (token = ? or reference_id = ${GRANT})`,
)
const refreshGivenBack = fixed(`delete from oauth_refresh_tokens where client_id = ? and reference_id = ${GRANT}`)

/** Takes away a token of a client: with a refresh token all tokens of its connection, otherwise the access token alone. */
export async function deleteGivenBack(db: Db, hash: string, clientId: string): Promise<void> {
  await accessGivenBack(db, [clientId, hash, hash, clientId])
  // Access tokens that were made meanwhile go with their refresh token.
  await refreshGivenBack(db, [clientId, hash, clientId])
}
