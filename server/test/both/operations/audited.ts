import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { listActivity } from '../../../src/changes/activity.ts'
import { type AuditParams, listAudit } from '../../../src/changes/audit-log.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { TestWorkspace } from '../../workspace.ts'

/** Entries of the audit log. */
export async function audited(workspace: TestWorkspace, asked: AuditParams = {}) {
  return (await listAudit(await workspace.scope(), { per_page: 100, ...asked })).data
}

/** The same in short. */
export async function deeds(workspace: TestWorkspace, asked: AuditParams): Promise<string[]> {
  const entries = await audited(workspace, asked)
  return entries.map(({ action, resource, record_name }) => `${action} ${resource} ${record_name}`)
}

/** The entries about one record. */
export async function historyOf(scope: Scope, type: ResourceName, record_id: string) {
  const asked = { record_id, kinds: 'changes,merges,imports', cursor: undefined, per_page: 100 }
  const { data } = await listActivity(scope, resourceIn(scope.schema, type), asked)
  return data.flatMap((item) => ('entry' in item ? [item.entry] : []))
}
