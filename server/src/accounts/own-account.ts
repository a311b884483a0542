import { NAME_MAX } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import { findUser, replaceUserName, type UserRow } from '../storage/tables/accounts.ts'
import { parseName } from './parse-account.ts'
import type { SessionHolder } from './sign-in/sessions.ts'
import { type WorkspacePolicy, workspaceProblem } from './workspace-policy.ts'
import { furnishWorkspace } from './workspaces.ts'

/** Changes what a user is called. */
export function updateProfile(runtime: Runtime, { user_id }: SessionHolder, input: unknown): Promise<UserRow> {
  const name = readInput(input, (fields) => {
    const sent = fields.text('name')
    return sent === '' ? undefined : parseName(sent, { path: 'name', max: NAME_MAX }, fields.report)
  })
  return runtime.engine.transaction(async (inside) => {
    if (name !== undefined) await replaceUserName(inside, { id: user_id, name, at: runtime.now().toISOString() })
    const user = await findUser(inside, user_id)
    if (!user) throw new Error('A session belongs to nobody.')
    return user
  })
}

type Asked = { input: unknown; policy: WorkspacePolicy }

/** Makes another workspace, whose owner the user becomes, where the installation lets them. */
export function createOwnWorkspace(
  runtime: Runtime,
  { user_id }: SessionHolder,
  { input, policy }: Asked,
): Promise<{ id: string; slug: string; name: string }> {
  return runtime.engine.transaction(async (inside) => {
    // Of requests at the same time each counts those before it.
    await runtime.engine.lock(inside, [`workspaces of ${user_id}`])
    const problem = await workspaceProblem(inside, user_id, policy)
    if (problem !== null) refuse({ kind: 'forbidden', message: problem })
    const sent = readInput(input, (fields) => ({ name: fields.text('name'), slug: fields.optionalText('slug') }))
    const made = await furnishWorkspace(runtime, inside, { ...sent, owner: user_id, created_by: user_id })
    return { id: made.id, slug: made.slug, name: made.name }
  })
}
