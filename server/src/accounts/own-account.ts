import { refuse } from '@kith/contract/refusal'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import { findUser, replaceUserName, type UserRow } from '../storage/tables/accounts.ts'
import { noteUserChange } from './note-user-change.ts'
import { readName } from './parse-account.ts'
import type { SessionHolder } from './sign-in/sessions.ts'
import { type WorkspacePolicy, workspaceProblem } from './workspace-policy.ts'
import { createWorkspaceIn } from './workspaces.ts'

/** Changes the name of a user. */
export function updateProfile(runtime: Runtime, { user_id }: SessionHolder, input: unknown): Promise<UserRow> {
  const name = readInput(input, readName)
  return runtime.engine.transaction(async (inside) => {
    const before = await findUser(inside, user_id)
    if (!before) throw new Error('The user of the session does not exist.')
    if (before.name === name) return before
    await replaceUserName(inside, { id: user_id, name, at: runtime.now().toISOString() })
    await noteUserChange(runtime, inside, { user: before, field: 'name', before: before.name, after: name })
    return { ...before, name }
  })
}

type NewOwnWorkspace = { input: unknown; policy: WorkspacePolicy }

/** Creates another workspace owned by the user, if the installation allows it. */
export function createOwnWorkspace(
  runtime: Runtime,
  { user_id }: SessionHolder,
  { input, policy }: NewOwnWorkspace,
): Promise<{ id: string; slug: string; name: string }> {
  return runtime.engine.transaction(async (inside) => {
    // The lock makes concurrent requests count each other.
    await runtime.engine.lock(inside, [`workspaces of ${user_id}`])
    const problem = await workspaceProblem(inside, user_id, policy)
    if (problem !== null) refuse({ kind: 'forbidden', message: problem })
    const sent = readInput(input, (fields) => ({ name: fields.text('name'), slug: fields.optionalText('slug') }))
    const made = await createWorkspaceIn(runtime, inside, { ...sent, owner: user_id, created_by: user_id })
    return { id: made.id, slug: made.slug, name: made.name }
  })
}
