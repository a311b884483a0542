import { abilities, type Role } from '@kith/contract/abilities'
import { refuse } from '@kith/contract/refusal'
import { type Door, type House, type Scope, scopeFor, type WorkspaceFacts } from '../scope/scope.ts'
import { findFirstOwner, findMember } from '../storage/tables/members.ts'
import { findWorkspaceBySlug } from '../storage/tables/workspaces.ts'
import { roleOf } from './members.ts'
import { findPerson } from './users.ts'
import { requireWorkspace } from './workspaces.ts'

/** The scope of a workspace for whoever runs the installation: they act as its owner. */
export async function enterAsOperator(house: House, slug: string, door: Door = 'cli'): Promise<Scope> {
  const workspace = await requireWorkspace(house.engine.db, slug)
  const owner = await findFirstOwner(house.engine.db, workspace.id)
  if (!owner) throw new Error(`The workspace ${slug} has no owner.`)
  return scopeOf(house, workspace, { user_id: owner.user_id, role: 'owner', door })
}

/** The scope of a workspace for one of its members, by email address or id. Whoever is none learns nothing, not even whether it exists. */
export async function enterAsMember(house: House, slug: string, emailOrId: string, door: Door = 'web'): Promise<Scope> {
  const { db } = house.engine
  const workspace = await findWorkspaceBySlug(db, slug)
  const user = await findPerson(db, emailOrId)
  const member = workspace && user && (await findMember(db, workspace.id, user.id))
  if (!member) refuse({ kind: 'not_found', message: `${emailOrId} is not a member of a workspace ${slug}.` })
  return scopeOf(house, workspace, { user_id: member.user_id, role: roleOf(member.role), door })
}

function scopeOf(house: House, workspace: WorkspaceFacts, who: { user_id: string; role: Role; door: Door }): Scope {
  const { id, slug, name, fields_version } = workspace
  const actor = { ...who, abilities, token_id: null }
  return scopeFor(house, { workspace: { id, slug, name, fields_version }, actor })
}
