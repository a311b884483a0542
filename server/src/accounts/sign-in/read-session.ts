import type { SessionAnswer } from '@kith/contract/app/session'
import type { Runtime } from '../../scope/scope.ts'
import { findUser } from '../../storage/tables/accounts.ts'
import { loadWorkspacesOf } from '../../storage/tables/members.ts'
import { roleOf } from '../members.ts'
import { type WorkspacePolicy, workspaceProblem } from '../workspace-policy.ts'
import type { SessionHolder } from './sessions.ts'

/** The signed-in user and their workspaces, by name. */
export async function readSession(
  { engine }: Runtime,
  { user_id, session_id }: SessionHolder,
  policy: WorkspacePolicy,
): Promise<SessionAnswer> {
  const user = await findUser(engine.db, user_id)
  if (!user) throw new Error('The user of the session does not exist.')
  const rows = await loadWorkspacesOf(engine.db, user_id)
  const workspaces = rows.map((row) => ({ ...row, role: roleOf(row.role) }))
  return { user, workspaces, session_id, workspace_problem: await workspaceProblem(engine.db, user_id, policy) }
}
