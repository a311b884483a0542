import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/** What a user can sign in with, and the second factor of the current session. */
type FactorsRow = {
  two_factor_enabled: boolean | number
  passwords: number
  providers: number
  second_factor: string | null
}

export function findFactors(db: Db, userId: string, sessionId: string): Promise<FactorsRow | undefined> {
  return sql<FactorsRow>`select u.two_factor_enabled, s.second_factor,
      (select count(*) from accounts a
        where a.user_id = u.id and a.provider_id = 'credential' and a.password is not null) as passwords,
      (select count(*) from accounts a where a.user_id = u.id and a.provider_id = 'oidc') as providers
    from users u left join sessions s on s.user_id = u.id and s.id = ${sessionId} where u.id = ${userId}`.one(db)
}

type PasskeyRow = { id: string; name: string | null; created_at: string | null; backed_up: boolean }

type StoredPasskey = { created_at: string | Date | null; backed_up: boolean | number } & Pick<PasskeyRow, 'id' | 'name'>

export async function loadPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  const rows = await sql<StoredPasskey>`select id, name, created_at, backed_up from passkeys
    where user_id = ${userId} order by created_at, id`.all(db)
  return rows.map(({ created_at, backed_up, ...row }) => ({
    ...row,
    created_at: created_at === null ? null : new Date(created_at).toISOString(),
    backed_up: backed_up === true || backed_up === 1,
  }))
}

export async function replacePasskeyName(
  inside: Db,
  { user_id, id, name }: { user_id: string; id: string; name: string },
): Promise<boolean> {
  return (await sql`update passkeys set name = ${name} where user_id = ${user_id} and id = ${id}`.run(inside)) > 0
}

export async function deletePasskey(inside: Db, userId: string, id: string): Promise<boolean> {
  return (await sql`delete from passkeys where user_id = ${userId} and id = ${id}`.run(inside)) > 0
}

export async function findPasskeyHolder(db: Db, credentialId: string): Promise<string | undefined> {
  // PostgreSQL accepts no NUL in a parameter.
  if (credentialId.includes('\0')) return undefined
  return sql<string>`select user_id from passkeys where credential_id = ${credentialId}`.value(db)
}

export async function hasProviderAccount(db: Db, providerId: string, accountId: string): Promise<boolean> {
  if (accountId.includes('\0')) return false
  return sql`select 1 as found from accounts
    where provider_id = ${providerId} and account_id = ${accountId} limit 1`.exists(db)
}

export async function deleteProviderAccount(inside: Db, userId: string, providerId: string): Promise<boolean> {
  return (await sql`delete from accounts where user_id = ${userId} and provider_id = ${providerId}`.run(inside)) > 0
}

/** The user whose password was right and who must enter a code next. */
export function findPendingUser(db: Db, identifier: string): Promise<string | undefined> {
  return sql<string>`select value from verifications where identifier = ${identifier}`.value(db)
}

/** Trusted browsers must enter a code again. */
export async function deleteTrustedDevices(inside: Db, userId: string): Promise<void> {
  await sql`delete from verifications where value = ${userId} and identifier like 'trust-device-%'`.run(inside)
}

export async function deleteFactors(inside: Db, userId: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${userId}`.run(inside)
  await sql`delete from two_factors where user_id = ${userId}`.run(inside)
  const off = syntaxOf(inside.session).flag(false)
  await sql`update users set two_factor_enabled = ${off} where id = ${userId}`.run(inside)
  await deleteTrustedDevices(inside, userId)
}
