import { requireAbilities } from '../records/allow.ts'
import { presentUser, type ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { loadMembers } from '../storage/query/related.ts'

/** The user who acts, as a resource object. */
export async function readUser(scope: Scope): Promise<ResourceObject> {
  requireAbilities(scope, ['read'])
  const [user] = await loadMembers(scope, [scope.actor.user_id])
  if (!user) throw new Error('The acting user is no member of the workspace.')
  return presentUser(user, new Map())
}
