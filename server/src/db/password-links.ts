import type { Db, Engine } from './engine.ts'
import { fixed, fixedOutcome } from './fixed.ts'
import { sweeping } from './sweeping.ts'

const found = fixed<{ user_id: string; expires_at: string }>(
  'select user_id, expires_at from password_links where hash = ?',
)

export async function findPasswordLink(
  db: Db,
  hash: string,
): Promise<{ user_id: string; expires_at: string } | undefined> {
  return (await found(db, [hash]))[0]
}

const inserted = fixed('insert into password_links (hash, user_id, created_at, expires_at) values (?, ?, ?, ?)')

export async function insertPasswordLink(
  inside: Db,
  link: { hash: string; user_id: string; created_at: string; expires_at: string },
): Promise<void> {
  await inserted(inside, [link.hash, link.user_id, link.created_at, link.expires_at])
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

const sweepExpired = sweeping('password_links', 'expires_at <= ?')

export function deleteExpiredPasswordLinks(engine: Engine, now: string): Promise<void> {
  return sweepExpired(engine, [now])
}
