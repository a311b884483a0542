import { isObject } from '@kith/contract/raw-input'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { deleteRecords, editRecords, undoEdit } from '../../batch/bulk/change-records.ts'
import { listMatchingIds } from '../../batch/bulk/matching-ids.ts'
import { restoreRecords } from '../../batch/bulk/restore-records.ts'
import { requireResourceName } from '../../scope/resource-name.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerData, type WorkspaceHandler } from './web-request.ts'

/** Changes of many records, up to 100 in a request. */
export const bulkHandlers = {
  'POST /bulk/ids': withResource(listMatchingIds),
  'POST /bulk/edit': withResource(editRecords),
  'POST /bulk/undo-edit': withResource(undoEdit),
  'POST /bulk/delete': withResource(deleteRecords),
  'POST /bulk/restore': withResource(restoreRecords),
} satisfies Record<string, WorkspaceHandler>

type Operation = (scope: Scope, resource: Resource, body: unknown) => Promise<unknown>

/** The body names the resource. */
function withResource(operation: Operation): WorkspaceHandler {
  return async (scope, { body }) => {
    const { resource, ...rest } = isObject(body) ? body : {}
    return answerData(await operation(scope, registry[requireResourceName(resource)], rest))
  }
}
