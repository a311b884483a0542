import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import type { IdempotencyKeysTable } from './tables.ts'

export type KeptKey = Pick<IdempotencyKeysTable, 'input_hash' | 'resource' | 'record_id'>

const found = fixed<KeptKey>(
  `select input_hash, resource, record_id from idempotency_keys
   where workspace_id = ? and user_id = ? and key = ? and created_at > ?`,
)

/** What the user made under the key since then. */
export async function findKey(inside: Scope, key: string, since: string): Promise<KeptKey | undefined> {
  const [row] = await found(inside.db, [inside.workspace.id, inside.actor.user_id, key, since])
  return row
}

/** Keeps a key, and forgets those of the workspace that are older than the moment given. */
export async function insertKey(inside: Scope, key: string, kept: KeptKey, since: string): Promise<void> {
  await inside.db.query
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', inside.workspace.id)
    .where('created_at', '<=', since)
    .execute()
  const { id: workspace_id } = inside.workspace
  const created_at = inside.now().toISOString()
  await inside.db.query
    .insertInto('idempotency_keys')
    .values({ workspace_id, user_id: inside.actor.user_id, key, ...kept, created_at })
    .execute()
}
