import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

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

export function findPasswordLink(db: Db, hash: string): Promise<PasswordLinkRow | undefined> {
  return sql<PasswordLinkRow>`select user_id, expires_at, source, workspace_id, creator_id from password_links
    where hash = ${hash}`.one(db)
}

export async function insertPasswordLink(
  inside: Db,
  link: PasswordLinkRow & { hash: string; created_at: string },
): Promise<void> {
  const { hash, user_id, created_at, expires_at, source, workspace_id, creator_id } = link
  const row = { hash, user_id, created_at, expires_at, source, workspace_id, creator_id }
  await sql`insert into password_links ${sql.values(row)}`.run(inside)
}

/** False when it was already used. */
export async function takePasswordLink(inside: Db, hash: string): Promise<boolean> {
  return (await sql`delete from password_links where hash = ${hash}`.run(inside)) > 0
}

/** Links that were sent before stop working. */
export async function deletePasswordLinks(inside: Db, userId: string): Promise<void> {
  await sql`delete from password_links where user_id = ${userId}`.run(inside)
}

/** Deletes the links that admins created for a user, and those the user created as an admin: their role has changed. */
export async function deleteAdminLinks(inside: Db, userId: string): Promise<void> {
  await sql`delete from password_links
    where creator_id = ${userId} or (user_id = ${userId} and creator_id is not null)`.run(inside)
}
