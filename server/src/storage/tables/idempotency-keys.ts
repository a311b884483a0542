import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** Whose key it is, and which. */
export type KeyName = { owner: string; key: string }

/** A request that was carried out, and its response. */
export type StoredKey = {
  created_at: string
  /** What identifies the request, apart from its body. */
  request: string
  body_hash: string
  status: number
  /** JSON. */
  headers: string
  body: string | null
}

/** What was done with the key after a time. */
export function findKey(inside: Scope, { owner, key }: KeyName, after: string): Promise<StoredKey | undefined> {
  return sql<StoredKey>`select created_at, request, body_hash, status, headers, body from idempotency_keys
    where workspace_id = ${inside.workspace.id} and owner = ${owner} and key = ${key} and created_at > ${after}`.one(
    inside.db,
  )
}

/** Stores a key, in the place of an expired one. */
export async function insertKey(inside: Scope, name: KeyName, stored: StoredKey): Promise<void> {
  const { owner, key } = name
  await sql`insert into idempotency_keys ${sql.values({ workspace_id: inside.workspace.id, owner, key, ...stored })}
    on conflict (workspace_id, owner, key) do update set created_at = excluded.created_at,
      request = excluded.request, body_hash = excluded.body_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body`.run(inside.db)
}

const BATCH = 500

/** Deletes some of a workspace's keys from before a time; false when there are none left. */
export async function pruneKeys(engine: Engine, workspaceId: string, before: string): Promise<boolean> {
  const old = sql`from idempotency_keys where workspace_id = ${workspaceId} and created_at <= ${before}`
  // Reads first, so that nothing writes when there are none.
  if (!(await sql`select 1 as found ${old} limit 1`.exists(engine.db))) return false
  const deleted = await sql`delete from idempotency_keys where workspace_id = ${workspaceId} and (owner, key) in (
    select owner, key ${old} order by created_at, owner, key limit ${sql.lit(BATCH)})`.run(engine.single)
  return deleted === BATCH
}
