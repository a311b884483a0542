import { roleMay } from '@kith/contract/permissions'
import type { Resource } from '@kith/contract/resource'
import { refuseMissing } from '../records/merge/merged-into.ts'
import { idInPath } from '../records/read.ts'
import type { Scope } from '../scope/scope.ts'
import { loadHistory } from '../storage/tables/history.ts'
import { findMergeOf, loadMergedIds } from '../storage/tables/merges.ts'
import { findRecord } from '../storage/tables/records.ts'
import { loadAnyRows } from '../storage/tables/trash.ts'

/**
 * The ids of all records whose entries are the history of a record: its own, and those of the records that were merged
 * into it. Everyone who reads the record may read it, that of a deleted record only owners and admins.
 */
export async function findHistory(scope: Scope, resource: Resource, id: string): Promise<string[]> {
  const recordId = idInPath(resource, id)
  const isLive = (await findRecord(scope, resource, recordId)) !== undefined
  if (!isLive && !(await isDeleted(scope, resource, recordId))) return refuseMissing(scope, resource, id)
  return [recordId, ...(await loadMergedIds(scope, resource, recordId))]
}

/** Whether it is a deleted record, also one that was purged, which the actor may look into. */
async function isDeleted(scope: Scope, resource: Resource, id: string): Promise<boolean> {
  if (!roleMay(scope.actor.role, 'read_audit_log') || (await findMergeOf(scope, id)) !== undefined) return false
  if ((await loadAnyRows(scope, resource, [id])).length > 0) return true
  return (await loadHistory(scope, { resource: resource.type, record_ids: [id], limit: 1 })).length > 0
}
