import type { Db, Engine } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

/** What a user can sign in with, and how the session began in which they ask. */
export type FactorsRow = {
  two_factor_enabled: boolean | number
  passwords: number
  providers: number
  second_factor: string | null
}

const factors = fixed<FactorsRow>(`
  select u.two_factor_enabled, s.second_factor,
    (select count(*) from accounts a where a.user_id = u.id and a.provider_id = 'credential' and a.password is not null)
      as passwords,
    (select count(*) from accounts a where a.user_id = u.id and a.provider_id = 'oidc') as providers
  from users u left join sessions s on s.user_id = u.id and s.id = ? where u.id = ?`)

export async function findFactors(db: Db, userId: string, sessionId: string): Promise<FactorsRow | undefined> {
  const [row] = await factors(db, [sessionId, userId])
  return row
}

export type PasskeyRow = { id: string; name: string | null; created_at: string | null; backed_up: boolean }

type StoredPasskey = { created_at: string | Date | null; backed_up: boolean | number } & Pick<PasskeyRow, 'id' | 'name'>

const passkeys = fixed<StoredPasskey>(
  'select id, name, created_at, backed_up from passkeys where user_id = ? order by created_at, id',
)

export async function loadPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return (await passkeys(db, [userId])).map(({ created_at, backed_up, ...row }) => ({
    ...row,
    created_at: created_at === null ? null : new Date(created_at).toISOString(),
    backed_up: backed_up === true || backed_up === 1,
  }))
}

const renamed = fixedOutcome('update passkeys set name = ? where user_id = ? and id = ?')

export async function replacePasskeyName(
  inside: Db,
  { user_id, id, name }: { user_id: string; id: string; name: string },
): Promise<boolean> {
  return (await renamed(inside, [name, user_id, id])).affected > 0
}

const removed = fixedOutcome('delete from passkeys where user_id = ? and id = ?')

export async function deletePasskey(inside: Db, userId: string, id: string): Promise<boolean> {
  return (await removed(inside, [userId, id])).affected > 0
}

const holder = fixed<{ user_id: string }>('select user_id from passkeys where credential_id = ?')

export async function findPasskeyHolder(db: Db, credentialId: string): Promise<string | undefined> {
  // PostgreSQL takes no NUL.
  if (credentialId.includes('\0')) return undefined
  return (await holder(db, [credentialId]))[0]?.user_id
}

const provided = fixed('select 1 as found from accounts where provider_id = ? and account_id = ? limit 1')

export async function hasProviderAccount(db: Db, providerId: string, accountId: string): Promise<boolean> {
  return !accountId.includes('\0') && (await provided(db, [providerId, accountId])).length > 0
}

const unlinked = fixedOutcome('delete from accounts where user_id = ? and provider_id = ?')

export async function deleteProviderAccount(inside: Db, userId: string, providerId: string): Promise<boolean> {
  return (await unlinked(inside, [userId, providerId])).affected > 0
}

const pending = fixed<{ value: string }>('select value from verifications where identifier = ?')

/** The user who has given the password and is asked for a code. */
export async function findPendingUser(db: Db, identifier: string): Promise<string | undefined> {
  return (await pending(db, [identifier]))[0]?.value
}

const untrusted = fixed(`delete from verifications where value = ? and identifier like 'trust-device-%'`)

/** Browsers that were not asked for a code are asked again. */
export async function deleteTrustedDevices(inside: Db, userId: string): Promise<void> {
  await untrusted(inside, [userId])
}

const passkeysGone = fixed('delete from passkeys where user_id = ?')
const codesGone = fixed('delete from two_factors where user_id = ?')
const codesOff = fixed(
  'update users set two_factor_enabled = 0 where id = ?',
  'update users set two_factor_enabled = false where id = ?',
)

export async function deleteFactors(inside: Db, userId: string): Promise<void> {
  await passkeysGone(inside, [userId])
  await codesGone(inside, [userId])
  await codesOff(inside, [userId])
  await deleteTrustedDevices(inside, userId)
}

const sweepExpired = sweeping('verifications', 'expires_at <= ?')

/** Challenges, states and trusted browsers whose time is over. */
export function deleteExpiredVerifications(engine: Engine, now: string): Promise<void> {
  return sweepExpired(engine, [now])
}
