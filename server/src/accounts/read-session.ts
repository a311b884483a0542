import type { SessionAnswer } from '@kith/contract/app/session'
import { findUser } from '../db/accounts.ts'
import { loadWorkspacesOf } from '../db/members.ts'
import type { House } from '../scope.ts'
import { roleOf } from './members.ts'
import type { SessionHolder } from './sessions.ts'

/** Who is signed in, and the workspaces they belong to, by name. */
export async function readSession({ engine }: House, { user_id, session_id }: SessionHolder): Promise<SessionAnswer> {
  const user = await findUser(engine.db, user_id)
  if (!user) throw new Error('A session belongs to nobody.')
  const rows = await loadWorkspacesOf(engine.db, user_id)
  return { user, workspaces: rows.map((row) => ({ ...row, role: roleOf(row.role) })), session_id }
}
