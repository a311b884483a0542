import type { RefusalReason } from '@kith/contract/refusal'
import type { Operation } from '../batch/operation.ts'
import { runOperations } from '../batch/run-operations.ts'
import type { Changing } from '../records/changes.ts'
import type { Scope } from '../scope/scope.ts'

/** What became of an operation of a job. `changing` has what it changed of a record that was there before. */
export type Applied =
  | { refused: RefusalReason }
  | { id: string; updated_at: string | null; created: boolean; changing?: Changing | undefined }

/** Carries out the operations of a step in its transaction. */
export async function applyAll(inside: Scope, operations: readonly Operation[]): Promise<Applied[]> {
  const outcomes = await runOperations(inside, operations)
  return outcomes.map((outcome) => {
    if ('refused' in outcome) return outcome
    if ('removed' in outcome) return { id: outcome.removed, updated_at: null, created: false }
    const { row, created, changing } = outcome
    return { id: row.id, updated_at: row.updated_at, created, changing }
  })
}
