import type { OpenSession, SessionAnswer } from '@kith/contract/app/session'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import type { Runtime } from '../../scope/scope.ts'
import { findUser } from '../../storage/tables/accounts.ts'
import { loadWorkspacesOf } from '../../storage/tables/members.ts'
import { deleteOtherSessions, deleteSession, loadSessions } from '../../storage/tables/sessions.ts'
import { readFormats } from '../formats.ts'
import { isIdle } from '../session-user.ts'
import { type WorkspacePolicy, workspaceProblem } from '../workspace-policy.ts'

/** The user, and the current session. */
export type SessionHolder = { user_id: string; session_id: string }

/** The signed-in user and their workspaces, by name. */
export async function readSession(
  { engine }: Runtime,
  { user_id, session_id }: SessionHolder,
  policy: WorkspacePolicy,
): Promise<SessionAnswer> {
  const user = await findUser(engine.db, user_id)
  if (!user) throw new Error('The user of the session does not exist.')
  const workspaces = await loadWorkspacesOf(engine.db, user_id)
  const formats = await readFormats(engine.db, user_id)
  const workspace_problem = await workspaceProblem(engine.db, user_id, policy)
  return { user, workspaces, session_id, formats, workspace_problem }
}

/** The open sessions of a user, newest first. Idle sessions are not listed. */
export async function listSessions(
  runtime: Runtime,
  { user_id, session_id }: SessionHolder,
  idle_hours: number,
): Promise<OpenSession[]> {
  const now = runtime.now()
  const rows = await loadSessions(runtime.engine.db, user_id)
  return rows
    .filter((row) => Date.parse(row.expires_at) > now.getTime() && !isIdle(row, idle_hours, now))
    .map(({ expires_at: _, ip_address, user_agent, ...row }) => ({
      ...row,
      ip_address: ip_address === '' ? null : ip_address,
      user_agent: user_agent === '' ? null : user_agent,
      current: row.id === session_id,
    }))
}

export async function endSession(runtime: Runtime, { user_id }: SessionHolder, id: string): Promise<void> {
  const ended = await runtime.engine.transaction((inside) => deleteSession(inside, user_id, parseId(id) ?? ''))
  if (!ended) refuse({ kind: 'not_found', message: `You have no session with the ID ${excerpt(id)}.` })
}

/** Signs the user out everywhere but here. */
export function endOtherSessions(runtime: Runtime, { user_id, session_id }: SessionHolder): Promise<void> {
  return runtime.engine.transaction((inside) => deleteOtherSessions(inside, user_id, session_id))
}
