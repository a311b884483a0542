import { type AuditParams, listAudit } from '../../../src/audit/list.ts'
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
