import type { Db } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/** A user. `verified` says that the address was proved to be theirs: by a link in a mail, or by the word of the operator. */
export type UserRow = { id: string; name: string; email: string; verified: boolean }

type StoredUser = Omit<UserRow, 'verified'> & { email_verified: boolean | number }

const byId = fixed<StoredUser>('select id, name, email, email_verified from users where id = ?')
const byEmail = fixed<StoredUser>('select id, name, email, email_verified from users where email = ?')

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return presentUser((await byId(db, [id]))[0])
}

/** By the address in lower case, which is how all of them are kept. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  // PostgreSQL accepts no NUL, not even to find nothing.
  return email.includes('\0') ? undefined : presentUser((await byEmail(db, [email]))[0])
}

function presentUser(row: StoredUser | undefined): UserRow | undefined {
  return row && { id: row.id, name: row.name, email: row.email, verified: Boolean(row.email_verified) }
}

/** Whether anybody has an account. */
export async function hasUser(db: Db): Promise<boolean> {
  const { rows } = await sql`select id from users limit 1`.execute(db)
  return rows.length > 0
}

export async function insertUser(inside: Db, { verified, ...user }: UserRow, at: string): Promise<void> {
  const email_verified = syntaxOf(inside.session).flag(verified)
  const row = { ...user, email_verified, created_at: at, updated_at: at }
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

const verified = fixed(
  'update users set email_verified = 1, updated_at = ? where id = ?',
  'update users set email_verified = true, updated_at = ? where id = ?',
)

export async function markVerified(inside: Db, id: string, at: string): Promise<void> {
  await verified(inside, [at, id])
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
