import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

type EmailLinkRow = {
  hash: string
  user_id: string
  /** The address that the user wants; null to confirm the one that the user has. */
  new_email: string | null
  created_at: string
  expires_at: string
}

export async function insertEmailLink(inside: Db, link: EmailLinkRow): Promise<void> {
  await sql`insert into email_links ${sql.values(link)}`.run(inside)
}

type TakenLink = Pick<EmailLinkRow, 'user_id' | 'new_email' | 'expires_at'>

/** Deletes the link, so that it works once; undefined when there is none. */
export function takeEmailLink(inside: Db, hash: string): Promise<TakenLink | undefined> {
  return sql<TakenLink>`delete from email_links where hash = ${hash}
    returning user_id, new_email, expires_at`.one(inside)
}

export async function deleteEmailLinks(inside: Db, userId: string): Promise<void> {
  await sql`delete from email_links where user_id = ${userId}`.run(inside)
}
