import type { ResourceName } from '@kith/contract/resource'
import type { TestWorkspace } from './workspace.ts'

/** Takes the deletion mark off a record, which is the part of a restore that relations depend on. */
export async function putBack({ house, id: workspace }: TestWorkspace, type: ResourceName, id: string): Promise<void> {
  await house.engine.transaction(async ({ query }) => {
    await query
      .updateTable(type)
      .set({ deleted_at: null })
      .where('workspace_id', '=', workspace)
      .where('id', '=', id)
      .execute()
  })
}
