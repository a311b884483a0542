import { Refusal } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../../records/allow.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import type { Scope } from '../../scope/scope.ts'
import { findRecord } from '../../storage/tables/records.ts'
import type { BulkResult } from './change-records.ts'
import { type Earlier, parseUndo } from './parse-bulk.ts'

/**
 * Restores up to 100 deleted records, each in a transaction of its own: a restore may undo a merge, or return the
 * references of other records. One that was restored and deleted again since then stays deleted.
 */
export async function restoreRecords(scope: Scope, resource: Resource, body: unknown): Promise<BulkResult[]> {
  requireAbilities(scope, ['update', 'delete'])
  const { records } = parseUndo(body, () => ({}))
  const results: BulkResult[] = []
  for (const record of records) results.push(await restoreOne(scope, resource, record))
  return results
}

async function restoreOne(scope: Scope, resource: Resource, { id, updated_at }: Earlier): Promise<BulkResult> {
  try {
    const { data } = await restoreRecord(scope, resource, { id, expected: [updated_at] })
    return { id, outcome: 'changed', updated_at: String(data[0]?.attributes.updated_at), before: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // A repeated request finds what it has restored already.
    if (await findRecord(scope, resource, id)) return { id, outcome: 'same' }
    if (error.reason.kind === 'precondition_failed') return { id, outcome: 'skipped' }
    return { id, outcome: 'failed', message: error.message }
  }
}
