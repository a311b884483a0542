import { type Ability, abilities, type Role } from '@kith/contract/abilities'
import { roleMay } from '@kith/contract/permissions'
import { requireAbilities } from '../records/allow.ts'
import { presentUser, type ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { loadMembers } from '../storage/query/related.ts'

export type WhoAmI = {
  user: { id: string; name: string; email: string }
  workspace: { id: string; slug: string; name: string }
  role: Role
  /** What the token and the role both allow. */
  abilities: Ability[]
}

/** The actor, the workspace and what the actor may do. Needs no ability. */
export async function whoAmI(scope: Scope): Promise<WhoAmI> {
  const { role, abilities: granted } = scope.actor
  const user = await loadActor(scope)
  const { id, slug, name } = scope.workspace
  return {
    user: { id: user.id, name: user.name, email: user.email },
    workspace: { id, slug, name },
    role,
    abilities: abilities.filter((ability) => granted.includes(ability) && roleMay(role, ability)),
  }
}

/** The acting user as a resource object. */
export async function readUser(scope: Scope): Promise<ResourceObject> {
  requireAbilities(scope, ['read'])
  return presentUser(await loadActor(scope), new Map())
}

async function loadActor(scope: Scope) {
  const [user] = await loadMembers(scope, [scope.actor.user_id])
  if (!user) throw new Error('The acting user is not a member of the workspace.')
  return user
}
