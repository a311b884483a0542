import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUnjoined, insertDomainJoin } from '../storage/tables/domain-joins.ts'
import type { DomainRule } from './domain-rules.ts'
import { joinWorkspace } from './members.ts'

/** Makes a user a member by the domain of their address, once for each workspace: who was removed stays removed. */
export async function joinByDomain(
  runtime: Runtime,
  inside: Db,
  { user_id, rule }: { user_id: string; rule: DomainRule },
): Promise<void> {
  const workspace_id = await findUnjoined(inside, user_id, rule.slug)
  if (workspace_id === undefined) return
  const at = runtime.now().toISOString()
  if (await insertDomainJoin(inside, { workspace_id, user_id, at }))
    await joinWorkspace(runtime, inside, { workspace_id, user_id, role: rule.role })
}
