import type { Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { workspaceTable } from './table.ts'

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

/** `put` replaces an expired key. */
export const keyTable = workspaceTable<KeyName & StoredKey>('idempotency_keys')

/** The results of the steps of requests that are not complete. */
export const stepTable = workspaceTable<KeyName & { number: number; result: string }>('idempotency_steps')
