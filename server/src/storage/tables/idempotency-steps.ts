import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import type { KeyName } from './idempotency-keys.ts'

/** The result of a step of a request that is not complete. */
export function findStep(inside: Scope, { owner, key }: KeyName, number: number): Promise<string | undefined> {
  return sql<string>`select result from idempotency_steps where workspace_id = ${inside.workspace.id}
    and owner = ${owner} and key = ${key} and number = ${number}`.value(inside.db)
}

/** Stores the result of a step. The key must be there. */
export async function insertStep(
  inside: Scope,
  { owner, key }: KeyName,
  step: { number: number; result: string },
): Promise<void> {
  const row = { workspace_id: inside.workspace.id, owner, key, ...step }
  await sql`insert into idempotency_steps ${sql.values(row)}`.run(inside.db)
}

/** Removes the steps of a key: its request is complete, or the key has expired and is used again. */
export async function removeSteps(inside: Scope, { owner, key }: KeyName): Promise<void> {
  await sql`delete from idempotency_steps
    where workspace_id = ${inside.workspace.id} and owner = ${owner} and key = ${key}`.run(inside.db)
}
