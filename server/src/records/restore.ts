import type { Definitions } from '@kith/contract/field-definition'
import { refuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { findMergeOf } from '../db/merges.ts'
import { findRecord } from '../db/records.ts'
import { type DeletedRow, loadAnyRows, lockAnyRows } from '../db/trash.ts'
import type { Scope } from '../scope.ts'
import { requireAbilities } from './allow.ts'
import { lockClaims } from './check-input.ts'
import { type Presented, presentRecords } from './present.ts'
import { idInPath, refuseNotFound } from './read.ts'
import { claimsOfRows, refuseTaken, returnRecords } from './return.ts'
import { restorableSince } from './trash.ts'
import { undoInside } from './undo-merge.ts'
import { writing } from './writing.ts'

/**
 * Brings a deleted record back into everything, and with it the references and links to it. Whoever may delete may
 * take it back. A record that was deleted because it was merged into another one comes back by undoing that merge. A
 * record that is there already stays as it is.
 */
export async function restoreRecord(scope: Scope, resource: Resource, id: string): Promise<Presented> {
  requireAbilities(scope, ['delete'])
  const recordId = idInPath(resource, id)
  const { row, definitions } = await writing(scope, async (inside, definitions) => {
    const [seen] = await loadAnyRows(inside, resource, [recordId])
    if (!seen) refuseNotFound(resource, id)
    await restoreSeen(inside, resource, definitions, seen)
    const row = await findRecord(inside, resource, recordId)
    if (!row) throw new Error('A record that was just restored is not there.')
    return { row, definitions }
  })
  return presentRecords(scope, resource, definitions, [row], { include: [], fields: new Map() })
}

async function restoreSeen(inside: Scope, resource: Resource, definitions: Definitions, seen: DeletedRow) {
  const merge = seen.deleted_at === null ? undefined : await findMergeOf(inside, seen.id)
  if (merge !== undefined) {
    requireAbilities(inside, ['update'])
    await undoInside(inside, definitions, merge)
    return
  }
  const claims = claimsOfRows(resource, definitions, [seen])
  await lockClaims(inside, claims)
  // While we waited, someone else may have restored it, or it may be gone for good.
  const [row] = await lockAnyRows(inside, resource, [seen.id])
  if (!row) refuseNotFound(resource, seen.id)
  if (row.deleted_at === null) return
  if (row.deleted_at <= restorableSince(inside)) refuseTooLate(resource, row)
  await refuseTaken(inside, resource, claims, [row.id])
  await returnRecords(inside, resource, [row])
}

function refuseTooLate(resource: Resource, { id, deleted_at }: DeletedRow): never {
  const day = deleted_at?.slice(0, 10)
  const message = `The ${resource.one} with the ID ${id} was deleted on ${day} and can no longer be restored: the trash keeps records for 30 days.`
  refuse({ kind: 'not_found', message })
}
