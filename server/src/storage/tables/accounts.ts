import type { Db, Tenant } from '../engines/engine.ts'
import { sql, syntaxOf } from '../engines/sql.ts'
import { installationTable } from './table.ts'

/** A user. `verified`: the address is confirmed, by a link in a mail or by the operator. */
export type UserRow = { id: string; name: string; email: string; verified: boolean }

type StoredUser = Omit<UserRow, 'verified'> & { email_verified: boolean | number }

/** `formats` is JSON, and `time_zone` an IANA name. Both are null until they are known. */
export const userTable = installationTable<
  StoredUser & { formats: string | null; time_zone: string | null; updated_at: string }
>('users')

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return presentUser(await sql<StoredUser>`select id, name, email, email_verified from users where id = ${id}`.one(db))
}

/** By the address in lower case, which is how all addresses are stored. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  // PostgreSQL accepts no NUL in a parameter.
  if (email.includes('\0')) return undefined
  const found = sql<StoredUser>`select id, name, email, email_verified from users where email = ${email}`
  return presentUser(await found.one(db))
}

function presentUser(row: StoredUser | undefined): UserRow | undefined {
  return row && { id: row.id, name: row.name, email: row.email, verified: Boolean(row.email_verified) }
}

/** Whether there is any account. */
export function hasUser(db: Db): Promise<boolean> {
  return sql`select id from users limit 1`.exists(db)
}

export async function insertUser(inside: Db, { verified, ...user }: UserRow, at: string): Promise<void> {
  const email_verified = syntaxOf(inside.session).flag(verified)
  await sql`insert into users ${sql.values({ ...user, email_verified, created_at: at, updated_at: at })}`.run(inside)
}

type Password = { id: string; user_id: string; hash: string; at: string }

/** Gives a user a password, in the row where better-auth looks for it at sign-in. */
export async function insertPassword(inside: Db, { id, user_id, hash, at }: Password): Promise<void> {
  await sql`insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
    values (${id}, ${user_id}, ${user_id}, 'credential', ${hash}, ${at}, ${at})`.run(inside)
}

export async function markVerified(inside: Db, id: string, at: string): Promise<void> {
  const verified = syntaxOf(inside.session).flag(true)
  await sql`update users set email_verified = ${verified}, updated_at = ${at} where id = ${id}`.run(inside)
}

/** Gives a user another address, which counts as verified. */
export async function replaceUserEmail(
  inside: Db,
  { id, email, at }: { id: string; email: string; at: string },
): Promise<void> {
  const verified = syntaxOf(inside.session).flag(true)
  await sql`update users set email = ${email}, email_verified = ${verified}, updated_at = ${at}
    where id = ${id}`.run(inside)
}

/** Replaces the password of a user, or sets the first one. */
export async function replacePassword(inside: Db, password: Password): Promise<void> {
  const { user_id, hash, at } = password
  const replaced = await sql`update accounts set password = ${hash}, updated_at = ${at}
    where user_id = ${user_id} and provider_id = 'credential'`.run(inside)
  if (replaced === 0) await insertPassword(inside, password)
}

/** All users, oldest first, with the number of their workspaces. */
export async function loadUsers(db: Db): Promise<(UserRow & { created_at: string; workspaces: number })[]> {
  const rows = await sql<StoredUser & { created_at: string | Date; workspaces: number | string }>`
    select u.id, u.name, u.email, u.email_verified, u.created_at, coalesce(m.workspaces, 0) as workspaces from users u
    left join (select user_id, count(*) as workspaces from members group by user_id) m on m.user_id = u.id
    order by u.created_at, u.id`.all(db)
  return rows.map(({ id, name, email, email_verified, created_at, workspaces }) => {
    const at = new Date(created_at).toISOString()
    return { id, name, email, verified: Boolean(email_verified), created_at: at, workspaces: Number(workspaces) }
  })
}

/** Deletes a user without memberships. The database deletes their credentials and sessions. */
export async function deleteUserRows(inside: Db, id: string): Promise<void> {
  for (const table of ['views', 'reports']) {
    await sql`delete from ${sql.table(table)} where owner_id = ${id} and shared = 0`.run(inside)
    // The members of a workspace keep what was shared with them.
    await sql`update ${sql.table(table)} set owner_id = (
        select m.user_id from members m where m.workspace_id = ${sql.ref(`${table}.workspace_id`)} and m.role = 'owner'
        order by m.created_at, m.user_id limit 1)
      where owner_id = ${id}`.run(inside)
  }
  await sql`delete from invitations where inviter_id = ${id}`.run(inside)
  for (const table of ['oauth_access_tokens', 'tokens', 'connections']) {
    await sql`delete from ${sql.table(table)} where user_id = ${id}`.run(inside)
  }
  await sql`delete from users where id = ${id}`.run(inside)
}

type EmailLinkRow = {
  hash: string
  user_id: string
  /** The address that the user wants; null to confirm the one that the user has. */
  new_email: string | null
  created_at: string
  expires_at: string
}

export const emailLinkTable = installationTable<EmailLinkRow>('email_links')

type TakenLink = Pick<EmailLinkRow, 'user_id' | 'new_email' | 'expires_at'>

/** Deletes the link, so that it works once; undefined when there is none. */
export function takeEmailLink(inside: Db, hash: string): Promise<TakenLink | undefined> {
  return sql<TakenLink>`delete from email_links where hash = ${hash}
    returning user_id, new_email, expires_at`.one(inside)
}

/**
 * How the user got the link: by mail to the address of the account, from an admin, or from the operator. `new`: from
 * the operator who has just made the account.
 */
export type LinkSource = 'mail' | 'admin' | 'operator' | 'new'

export type PasswordLinkRow = {
  user_id: string
  expires_at: string
  source: LinkSource
  /** Of an admin's link: the workspace in which it was created, and the admin. */
  workspace_id: string | null
  creator_id: string | null
}

export const passwordLinkTable = installationTable<PasswordLinkRow & { hash: string; created_at: string }>(
  'password_links',
)

/** Deletes the links that admins created for a user, and those the user created as an admin: their role has changed. */
export async function deleteAdminLinks(inside: Db, userId: string): Promise<void> {
  await sql`delete from password_links
    where creator_id = ${userId} or (user_id = ${userId} and creator_id is not null)`.run(inside)
}

/** The picture of a user. It gets another id with each change. */
type PictureRow = {
  user_id: string
  id: string
  /** The media type. */
  type: string
  /** As base64. */
  data: string
}

export const pictureTable = installationTable<PictureRow>('pictures')

/** The picture of a member of the workspace. */
export function findPicture({ db, workspace }: Tenant, id: string): Promise<PictureRow | undefined> {
  return sql<PictureRow>`select p.* from pictures p join members m on m.user_id = p.user_id
    where p.id = ${id} and m.workspace_id = ${workspace.id}`.one(db)
}

/** The ids of the pictures of the members of the workspace. */
export async function loadPictureIds({ db, workspace }: Tenant): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<Pick<PictureRow, 'user_id' | 'id'>>`select p.user_id, p.id from members m
    join pictures p on p.user_id = m.user_id where m.workspace_id = ${workspace.id}`.all(db)
  return new Map(rows.map(({ user_id, id }) => [user_id, id]))
}
