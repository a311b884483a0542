import type { Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** Whose key it is, and which. */
export type KeyName = { owner: string; key: string }

/** A request that was carried out, and its response. */
export type StoredKey = {
  created_at: string
  /** The parts that identify the request, except its body. */
  request: string
  body_hash: string
  status: number
  /** JSON. */
  headers: string
  body: string | null
}

/** The stored result of the key, if it is newer than a time. */
export function findKey(inside: Tenant, { owner, key }: KeyName, after: string): Promise<StoredKey | undefined> {
  return sql<StoredKey>`select created_at, request, body_hash, status, headers, body from idempotency_keys
    where workspace_id = ${inside.workspace.id} and owner = ${owner} and key = ${key} and created_at > ${after}`.one(
    inside.db,
  )
}

/** Stores a key, in the place of an expired one. */
export async function insertKey(inside: Tenant, name: KeyName, stored: StoredKey): Promise<void> {
  const { owner, key } = name
  await sql`insert into idempotency_keys ${sql.values({ workspace_id: inside.workspace.id, owner, key, ...stored })}
    on conflict (workspace_id, owner, key) do update set created_at = excluded.created_at,
      request = excluded.request, body_hash = excluded.body_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body`.run(inside.db)
}

/** The result of a step of a request that is not complete. */
export function findStep(inside: Tenant, { owner, key }: KeyName, number: number): Promise<string | undefined> {
  return sql<string>`select result from idempotency_steps where workspace_id = ${inside.workspace.id}
    and owner = ${owner} and key = ${key} and number = ${number}`.value(inside.db)
}

/** Stores the result of a step. The key must be there. */
export async function insertStep(
  inside: Tenant,
  { owner, key }: KeyName,
  step: { number: number; result: string },
): Promise<void> {
  const row = { workspace_id: inside.workspace.id, owner, key, ...step }
  await sql`insert into idempotency_steps ${sql.values(row)}`.run(inside.db)
}

/** Removes the steps of a key: its request is complete, or the key has expired and is used again. */
export async function removeSteps(inside: Tenant, { owner, key }: KeyName): Promise<void> {
  await sql`delete from idempotency_steps
    where workspace_id = ${inside.workspace.id} and owner = ${owner} and key = ${key}`.run(inside.db)
}
