import { type Ability, abilities, type Role } from '@kith/contract/abilities'
import { roleMay } from '@kith/contract/permissions'
import type { Scope } from '../scope/scope.ts'
import { loadMembers } from '../storage/query/related.ts'

export type WhoAmI = {
  user: { id: string; name: string; email: string }
  workspace: { id: string; slug: string; name: string }
  role: Role
  /** What both the token and the role allow. */
  abilities: Ability[]
}

/** Who acts, where, and what they may do. Needs no ability: whoever has a token may know whose it is. */
export async function whoAmI(scope: Scope): Promise<WhoAmI> {
  const { user_id, role, abilities: granted } = scope.actor
  const [user] = await loadMembers(scope, [user_id])
  if (!user) throw new Error('The acting user is no member of the workspace.')
  const { id, slug, name } = scope.workspace
  return {
    user: { id: user.id, name: user.name, email: user.email },
    workspace: { id, slug, name },
    role,
    abilities: abilities.filter((ability) => granted.includes(ability) && roleMay(role, ability)),
  }
}
