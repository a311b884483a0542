import { refuse } from '@kith/contract/refusal'
import { type Runtime, type Scope, scopeOfMember } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { deleteUserRows, type UserRow } from '../storage/tables/accounts.ts'
import { countOwners, findFirstOwner, loadWorkspacesOf } from '../storage/tables/members.ts'
import { findWorkspaceBySlug } from '../storage/tables/workspaces.ts'
import { removeMember } from './members.ts'
import { requireUser } from './users.ts'

/**
 * Deletes a user for the operator, with all sessions, tokens and private views. Their records stay; shared views go to
 * the owner of the workspace. Someone must remain the owner of every workspace.
 */
export function deleteUser(runtime: Runtime, email: string): Promise<UserRow> {
  return runtime.engine.transaction(async (inside) => {
    const user = await requireUser(inside, email)
    const joined = await loadWorkspacesOf(inside, user.id)
    await refuseLastOwner(inside, user, joined)
    // By id: two deletions lock the members of their workspaces in the same order.
    for (const { slug } of joined.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      await removeMember(await enter(runtime, inside, slug), { email: user.email })
    }
    await deleteUserRows(inside, user.id)
    return user
  })
}

type Joined = Awaited<ReturnType<typeof loadWorkspacesOf>>

async function refuseLastOwner(inside: Db, { email }: UserRow, joined: Joined): Promise<void> {
  const slugs: string[] = []
  for (const { id, slug, role } of joined) {
    if (role === 'owner' && (await countOwners(inside, id)) === 1) slugs.push(slug)
  }
  if (slugs.length === 0) return
  const message =
    `${email} is the only owner of ${slugs.join(', ')}. Make another member an owner (kith member role), ` +
    'or delete the workspace (kith workspace delete) first.'
  refuse({ kind: 'forbidden', message })
}

/** The scope of the operator, who acts as an owner, in this transaction. */
async function enter(runtime: Runtime, inside: Db, slug: string): Promise<Scope> {
  const workspace = await findWorkspaceBySlug(inside, slug)
  const owner = workspace && (await findFirstOwner(inside, workspace.id))
  if (!owner) throw new Error(`The workspace ${slug} has no owner.`)
  const scope = scopeOfMember(runtime, workspace, { user_id: owner.user_id, role: 'owner', source: 'cli' })
  return { ...scope, db: inside, inside: 'transaction' }
}
