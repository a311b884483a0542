import type { Issue } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { writeAudit } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { addToCounts } from '../../storage/tables/counts.ts'
import { removeAllValues } from '../../storage/tables/field-values.ts'
import { lockRows } from '../../storage/tables/lock-rows.ts'
import { markDeleted } from '../../storage/tables/records.ts'
import { requireAbilities } from '../allow.ts'
import { idInPath, refuseNotFound } from '../read.ts'
import { writing } from '../writing.ts'

/** Deletes a record softly: its row stays, and with it the links that a restore brings back. */
export async function removeRecord(
  scope: Scope,
  resource: Resource,
  { id, issues = [] }: { id: string; issues?: readonly Issue[] },
): Promise<void> {
  requireAbilities(scope, ['delete'])
  const recordId = idInPath(resource, id)
  await writing(scope, async (inside) => {
    // No other transaction may add a reference to it.
    await lockRows(inside, [{ table: resource.type, ids: [recordId], mode: 'alone' }])
    const name = await markDeleted(inside, resource, { id: recordId, at: inside.now().toISOString() })
    if (name === undefined) refuseNotFound(resource, id)
    refuseIfAny([...issues])
    const workspaceId = inside.workspace.id
    await removeAllValues(inside, recordId)
    await inside.engine.search.removeAll(inside.db, { workspaceId, table: resource.type }, [recordId])
    await writeAudit(inside, [{ action: 'delete', resource: resource.type, record_id: recordId, name }])
    await addToCounts(inside, resource.type, -1)
  })
}
