import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sweeping } from './sweeping.ts'

const inserted = fixed('insert into email_links (hash, user_id, created_at, expires_at) values (?, ?, ?, ?)')

export async function insertEmailLink(
  inside: Db,
  link: { hash: string; user_id: string; created_at: string; expires_at: string },
): Promise<void> {
  await inserted(inside, [link.hash, link.user_id, link.created_at, link.expires_at])
}

const taken = fixed<{ user_id: string; expires_at: string }>(
  'delete from email_links where hash = ? returning user_id, expires_at',
)

/** The link, which opens nothing any more; undefined when there is none. */
export async function takeEmailLink(
  inside: Db,
  hash: string,
): Promise<{ user_id: string; expires_at: string } | undefined> {
  return (await taken(inside, [hash]))[0]
}

const removed = fixed('delete from email_links where user_id = ?')

export async function deleteEmailLinks(inside: Db, userId: string): Promise<void> {
  await removed(inside, [userId])
}

const sweepExpired = sweeping('email_links', 'expires_at <= ?')

export function deleteExpiredEmailLinks(engine: Engine, now: string): Promise<void> {
  return sweepExpired(engine, [now])
}
