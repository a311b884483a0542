import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { restoreRecord } from '../src/records/trash/restore.ts'
import type { TestWorkspace } from './workspace.ts'

/** Restores a deleted record. */
export async function putBack(workspace: TestWorkspace, type: BuiltInName, id: string): Promise<void> {
  await restoreRecord(await workspace.scope(), registry[type], { id })
}
