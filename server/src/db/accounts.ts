import type { Db } from './engine.ts'
import { fixed, fixedOutcome } from './fixed.ts'
import { sql } from './sql.ts'

export type UserRow = { id: string; name: string; email: string }

export function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.query.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', id).executeTakeFirst()
}

/** By the address in lower case, which is how all of them are kept. */
export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.query.selectFrom('users').select(['id', 'name', 'email']).where('email', '=', email).executeTakeFirst()
}

/** Whether anybody has an account. */
export async function hasUser(db: Db): Promise<boolean> {
  const { rows } = await sql`select id from users limit 1`.execute(db)
  return rows.length > 0
}

export async function insertUser(inside: Db, user: UserRow, at: string): Promise<void> {
  // SQLite knows no booleans, and better-auth keeps them as numbers there.
  const unverified = inside.session.dialect === 'sqlite' ? 0 : false
  const row = { ...user, email_verified: unverified, created_at: at, updated_at: at }
  await inside.query.insertInto('users').values(row).execute()
}

/** Gives a user a password, in the row where better-auth looks for it at sign-in. */
export async function insertPassword(
  inside: Db,
  { id, user_id, hash, at }: { id: string; user_id: string; hash: string; at: string },
): Promise<void> {
  const row = {
    id,
    user_id,
    account_id: user_id,
    provider_id: 'credential',
    password: hash,
    created_at: at,
    updated_at: at,
  }
  await inside.query.insertInto('accounts').values(row).execute()
}

const renamed = fixed('update users set name = ?, updated_at = ? where id = ?')

export async function replaceUserName(inside: Db, id: string, name: string, at: string): Promise<void> {
  await renamed(inside, [name, at, id])
}

const passwordReplaced = fixedOutcome(
  `update accounts set password = ?, updated_at = ? where user_id = ? and provider_id = 'credential'`,
)

/** Gives a user another password, or the first one. */
export async function replacePassword(
  inside: Db,
  password: { id: string; user_id: string; hash: string; at: string },
): Promise<void> {
  const { user_id, hash, at } = password
  const { affected } = await passwordReplaced(inside, [hash, at, user_id])
  if (affected === 0) await insertPassword(inside, password)
}
