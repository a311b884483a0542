import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'

export type SignInEntry = { id: string; user_id: string; email: string; action: string; changes: string }

const inserted = fixed(`
  insert into audit_log (workspace_id, resource, id, action, actor_id, source, record_id, name, changes)
  select m.workspace_id, 'sign_ins', ?, ?, ?, 'web', m.user_id, ?, ? from members m where m.user_id = ?`)

/** Writes one entry into the log of each workspace that the user belongs to. */
export async function insertSignIn(inside: Db, entry: SignInEntry): Promise<void> {
  const { id, user_id, email, action, changes } = entry
  // Who failed is not known: an entry about a failure has no actor.
  const actor = action === 'sign_in' ? user_id : null
  await inserted(inside, [id, action, actor, email, changes, user_id])
}

export type FailureRow = { id: string; changes: string }

const failures = fixed<FailureRow>(`
  select a.id, a.changes from members m
  join audit_log a on a.workspace_id = m.workspace_id and a.record_id = m.user_id and a.id >= ?
  where m.user_id = ? and a.resource = 'sign_ins' and a.action = 'sign_in_failed' order by a.id limit 1000`)

/** The entries about failed attempts since an id; those of several workspaces have the same ids. */
export async function loadFailures(inside: Db, userId: string, since: string): Promise<FailureRow[]> {
  const rows = await failures(inside, [since, userId])
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

const replaced = fixed(`
  update audit_log set changes = ? where resource = 'sign_ins' and id = ?
  and workspace_id in (select m.workspace_id from members m where m.user_id = ?)`)

export async function replaceFailure(inside: Db, userId: string, { id, changes }: FailureRow): Promise<void> {
  await replaced(inside, [changes, id, userId])
}
