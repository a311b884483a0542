import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'

/** The record that was created with a key, so that the same call again creates no second one. */
export type StoredKey = { key: string; input_hash: string; resource: string; record_id: string }

/** What the user created with the key since then. */
export function findKey(inside: Scope, key: string, since: string): Promise<StoredKey | undefined> {
  return sql<StoredKey>`select key, input_hash, resource, record_id from idempotency_keys
    where workspace_id = ${inside.workspace.id} and user_id = ${inside.actor.user_id} and key = ${key}
    and created_at > ${since}`.one(inside.db)
}

/** Stores a key, and deletes those of the workspace that are older than the given time. */
export async function insertKey(inside: Scope, key: StoredKey, since: string): Promise<void> {
  const { id: workspace_id } = inside.workspace
  await sql`delete from idempotency_keys where workspace_id = ${workspace_id} and created_at <= ${since}`.run(inside.db)
  const row = { workspace_id, user_id: inside.actor.user_id, ...key, created_at: inside.now().toISOString() }
  await sql`insert into idempotency_keys ${sql.values(row)}`.run(inside.db)
}
