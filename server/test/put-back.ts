import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { restoreRecord } from '../src/records/trash/restore.ts'
import type { TestWorkspace } from './workspace.ts'

/** Restores a deleted record. */
export async function putBack(workspace: TestWorkspace, type: ResourceName, id: string): Promise<void> {
  await restoreRecord(await workspace.scope(), registry[type], { id })
}
