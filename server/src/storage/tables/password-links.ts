import type { Db, Engine } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

/** How a link reached its user: by mail to the address of the account, from an admin, or from the operator. */
export type LinkSource = 'mail' | 'admin' | 'operator'

export type PasswordLinkRow = {
  user_id: string
  expires_at: string
  source: LinkSource
  /** Of an admin's link: the workspace in which it was made, and the admin. */
  workspace_id: string | null
  creator_id: string | null
}

const found = fixed<PasswordLinkRow>(
  'select user_id, expires_at, source, workspace_id, creator_id from password_links where hash = ?',
)

export async function findPasswordLink(db: Db, hash: string): Promise<PasswordLinkRow | undefined> {
  return (await found(db, [hash]))[0]
}

const inserted = fixed(
  `insert into password_links (hash, user_id, created_at, expires_at, source, workspace_id, creator_id)
   values (?, ?, ?, ?, ?, ?, ?)`,
)

export async function insertPasswordLink(
  inside: Db,
  link: PasswordLinkRow & { hash: string; created_at: string },
): Promise<void> {
  const { hash, user_id, created_at, expires_at, source, workspace_id, creator_id } = link
  await inserted(inside, [hash, user_id, created_at, expires_at, source, workspace_id, creator_id])
}

const taken = fixedOutcome('delete from password_links where hash = ?')

/** False when somebody has used it already. */
export async function takePasswordLink(inside: Db, hash: string): Promise<boolean> {
  return (await taken(inside, [hash])).affected > 0
}

const removed = fixed('delete from password_links where user_id = ?')

/** Links that were sent before open nothing any more. */
export async function deletePasswordLinks(inside: Db, userId: string): Promise<void> {
  await removed(inside, [userId])
}

const removedOfAdmins = fixed(
  'delete from password_links where creator_id = ? or (user_id = ? and creator_id is not null)',
)

/** Deletes the links that admins made for a user, and those that the user made as an admin: what they may do has changed. */
export async function deleteAdminLinks(inside: Db, userId: string): Promise<void> {
  await removedOfAdmins(inside, [userId, userId])
}

const sweepExpired = sweeping('password_links', 'expires_at <= ?')

export function deleteExpiredPasswordLinks(engine: Engine, now: string): Promise<void> {
  return sweepExpired(engine, [now])
}
