import type { Definitions } from '@kith/contract/field-definition'
import { lockClaims } from '../records/check-input.ts'
import { claimedBy } from '../records/write-set.ts'
import type { Scope } from '../scope/scope.ts'
import { lockRows, type RowLock } from '../storage/tables/lock-rows.ts'
import type { Lids, Operation } from './operation.ts'
import { prepare } from './prepare.ts'

/**
 * Locks what is known of operations before the first one runs, in the lock order: they lock it again in their own
 * order, and two batches would wait for each other. What is left, such as the holder of a value, is retried.
 */
export async function lockAhead(
  inside: Scope,
  operations: readonly Operation[],
  known: { definitions: Definitions; lids: Lids },
): Promise<void> {
  if (!inside.engine.concurrentWrites) return
  const prepared = operations.map((operation) => prepare(operation, known))
  const claimed = prepared.flatMap((one) => ('write' in one ? [claimedBy(one.write)] : []))
  await lockClaims(
    inside,
    claimed.flatMap(({ claims }) => claims),
    claimed.flatMap(({ ids }) => ids),
  )
  const rows = prepared.flatMap((one, index): RowLock[] => {
    const table = operations[index]?.resource
    if (table === undefined) return []
    if ('removal' in one) return [{ table, ids: [one.removal.id], mode: 'alone' }]
    return 'write' in one && one.write.op === 'update' ? [{ table, ids: [one.write.id], mode: 'change' }] : []
  })
  await lockRows(inside, rows)
}
