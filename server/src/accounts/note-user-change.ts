import { noteWrite } from '../audit/write.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import type { UserRow } from '../storage/tables/accounts.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { loadWorkspacesOf } from '../storage/tables/members.ts'

type UserChange = { user: UserRow; field: 'name' | 'email'; before: string; after: string }

/** Notes a change of what every workspace of the user shows. */
export async function noteUserChange(
  { engine, now }: Runtime,
  inside: Db,
  { user: { id, email }, field, before, after }: UserChange,
): Promise<void> {
  const actor = { user_id: id, source: 'web', token_id: null } as const
  const change = { kind: 'updated', at: now().toISOString(), changed: [field] } as const
  const entry = { action: 'update', resource: 'members', record_id: id, name: email } as const
  // By id: two users who change at the same time must not wait for each other.
  for (const workspace of (await loadWorkspacesOf(inside, id)).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const noting = { engine, db: inside, now, workspace, actor }
    await noteWrite(noting, [{ ...entry, changes: [[field, before, after]], change }])
    // Lists show members, so what was cached is outdated.
    await addToCounts(noting, 'companies', 0)
  }
}
