import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

type SignInEntry = { id: string; user_id: string; email: string; action: string; changes: string }

/** Writes one entry into the audit log of each workspace of the user. */
export async function insertSignIn(inside: Db, entry: SignInEntry): Promise<void> {
  const { id, user_id, email, action, changes } = entry
  // A failed attempt has no actor: it may not be the user.
  const actor = action === 'sign_in' ? user_id : null
  await sql`insert into audit_log (workspace_id, resource, id, action, actor_id, source, record_id, name, changes)
    select m.workspace_id, 'sign_ins', ${id}, ${action}, ${actor}, 'web', m.user_id, ${email}, ${changes}
    from members m where m.user_id = ${user_id}`.run(inside)
}

export type FailureRow = { id: string; changes: string }

/** The entries about failed attempts since an id, each once. */
export async function loadFailures(inside: Db, userId: string, since: string): Promise<FailureRow[]> {
  const rows = await sql<FailureRow>`select a.id, a.changes from members m
    join audit_log a on a.workspace_id = m.workspace_id and a.record_id = m.user_id and a.id >= ${since}
    where m.user_id = ${userId} and a.resource = 'sign_ins' and a.action = 'sign_in_failed'
    order by a.id limit 1000`.all(inside)
  // The entries of one attempt have the same id in all workspaces.
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

export async function replaceFailure(inside: Db, userId: string, { id, changes }: FailureRow): Promise<void> {
  await sql`update audit_log set changes = ${changes} where resource = 'sign_ins' and id = ${id}
    and workspace_id in (select m.workspace_id from members m where m.user_id = ${userId})`.run(inside)
}
