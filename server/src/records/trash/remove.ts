import type { Issue } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { lockRows } from '../../storage/tables/lock-rows.ts'
import { findRecord } from '../../storage/tables/records.ts'
import { requireAbilities } from '../allow.ts'
import { type Expected, requireExpected } from '../expected.ts'
import { refuseMissing } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import { storeDeletions } from '../store.ts'
import { writing } from '../writing.ts'

/** Deletes a record softly: its row and links stay, so that it can be restored. */
export async function removeRecord(
  scope: Scope,
  resource: Resource,
  { id, expected, issues = [] }: { id: string; expected?: Expected; issues?: readonly Issue[] },
): Promise<void> {
  requireAbilities(scope, ['delete'])
  const recordId = idInPath(resource, id)
  await writing(scope, async (inside, definitions) => {
    // No other transaction may add a reference to it.
    await lockRows(inside, [{ table: resource.type, ids: [recordId], mode: 'alone' }])
    if (expected !== undefined) {
      const current = await findRecord(inside, resource, recordId)
      if (!current) return refuseMissing(inside, resource, id)
      await requireExpected(inside, resource, { expected, current, definitions })
    }
    const deleted = await storeDeletions(inside, resource, { ids: [recordId] })
    if (deleted === 0) return refuseMissing(inside, resource, id)
    refuseIfAny([...issues])
  })
}
