import { refuse } from '@kith/contract/refusal'
import { noteWrite } from '../audit/write.ts'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUser, replaceUserName, type UserRow } from '../storage/tables/accounts.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { loadWorkspacesOf } from '../storage/tables/members.ts'
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
    await noteRenamed(runtime, inside, { ...before, after: name })
    return { ...before, name }
  })
}

/** The name is shown in every workspace of the user. */
async function noteRenamed(
  { engine, now }: Runtime,
  inside: Db,
  { id, email, name, after }: UserRow & { after: string },
): Promise<void> {
  const actor = { user_id: id, source: 'web', token_id: null } as const
  const change = { kind: 'updated', at: now().toISOString(), changed: ['name'] } as const
  const entry = { action: 'update', resource: 'members', record_id: id, name: email } as const
  // By id: two users who rename themselves must not wait for each other.
  for (const workspace of (await loadWorkspacesOf(inside, id)).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const noting = { engine, db: inside, now, workspace, actor }
    await noteWrite(noting, [{ ...entry, changes: [['name', name, after]], change }])
    // Lists show the names of members, so what was cached is outdated.
    await addToCounts(noting, 'companies', 0)
  }
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
