import { refuse } from '@kith/contract/refusal'
import { type Runtime, type Scope, type Source, scopeOfMember } from '../scope/scope.ts'
import { findFirstOwner, findMember } from '../storage/tables/members.ts'
import { findWorkspaceBySlug } from '../storage/tables/workspaces.ts'
import { findPerson } from './users.ts'
import { requireWorkspace } from './workspaces.ts'

/** The scope of a workspace for the operator, who acts as its owner. */
export async function enterAsOperator(runtime: Runtime, slug: string, source: Source = 'cli'): Promise<Scope> {
  const workspace = await requireWorkspace(runtime.engine.db, slug)
  const owner = await findFirstOwner(runtime.engine.db, workspace.id)
  if (!owner) throw new Error(`The workspace ${slug} has no owner.`)
  return scopeOfMember(runtime, workspace, { user_id: owner.user_id, role: 'owner', source })
}

/** The scope of a member, by email address or id. The refusal does not reveal whether the workspace exists. */
export async function enterAsMember(runtime: Runtime, slug: string, emailOrId: string): Promise<Scope> {
  const { db } = runtime.engine
  const workspace = await findWorkspaceBySlug(db, slug)
  const user = await findPerson(db, emailOrId)
  const member = workspace && user && (await findMember(db, workspace.id, user.id))
  if (!member) refuse({ kind: 'not_found', message: `${emailOrId} is not a member of a workspace ${slug}.` })
  return scopeOfMember(runtime, workspace, { user_id: member.user_id, role: member.role, source: 'web' })
}

export function withSource(scope: Scope, source: Source): Scope {
  return { ...scope, actor: { ...scope.actor, source } }
}
