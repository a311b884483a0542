import type { Config } from '../config.ts'
import type { Db } from '../storage/engines/engine.ts'
import { loadWorkspacesOf } from '../storage/tables/members.ts'
import { countWorkspacesBy } from '../storage/tables/workspaces.ts'

/** Who may create workspaces in the application, and how many per account (0: no limit). */
export type WorkspacePolicy = { creators: Config['WORKSPACE_CREATION']; per_account: number }

/** Why a user cannot create another workspace; null when they can. */
export async function workspaceProblem(
  db: Db,
  userId: string,
  { creators, per_account }: WorkspacePolicy,
): Promise<string | null> {
  if (creators === 'operator') return 'Only the operator of this installation can create workspaces. Ask for one there.'
  if (creators === 'admins' && !(await isAdminSomewhere(db, userId))) {
    return (
      'Only owners and admins of a workspace can create another one here. Ask one of them, or the operator ' +
      'of this installation.'
    )
  }
  if (per_account === 0 || (await countWorkspacesBy(db, userId)) < per_account) return null
  const made = per_account === 1 ? 'a workspace' : `${per_account} workspaces`
  return (
    `You have created ${made} already, and an account can create no more here. Delete one that is not ` +
    'needed, or ask the operator of this installation.'
  )
}

async function isAdminSomewhere(db: Db, userId: string): Promise<boolean> {
  return (await loadWorkspacesOf(db, userId)).some(({ role }) => role === 'owner' || role === 'admin')
}
