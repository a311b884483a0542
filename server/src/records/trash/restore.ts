import type { Definitions } from '@kith/contract/field-definition'
import { refuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/conflict.ts'
import { findMerge, findMergeOf } from '../../storage/tables/merges.ts'
import { findRecord } from '../../storage/tables/records.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/trash.ts'
import { requireAbilities } from '../allow.ts'
import { findUndoable, undoInside } from '../merge/undo-merge.ts'
import { type Presented, presentRecords } from '../present.ts'
import { idInPath, refuseNotFound } from '../read.ts'
import { settled } from '../settled.ts'
import { writing } from '../writing.ts'
import { claimsOfRows, refuseTaken, returnRecords } from './return.ts'
import { restorableSince } from './trash.ts'

/**
 * Brings a deleted record back into everything, and with it the references and links to it. Whoever may delete may
 * take it back. A record that was deleted because it was merged into another one comes back by undoing that merge. A
 * record that is there already stays as it is.
 */
export async function restoreRecord(scope: Scope, resource: Resource, id: string): Promise<Presented> {
  requireAbilities(scope, ['delete'])
  const recordId = idInPath(resource, id)
  const { row, definitions } = await writing(scope, async (inside, definitions) => {
    await restoreInside(inside, resource, { definitions, id: recordId })
    const row = await findRecord(inside, resource, recordId)
    if (!row) throw new Error('A record that was just restored is not there.')
    return { row, definitions }
  })
  return presentRecords(scope, resource, { definitions, rows: [row], include: [], fields: new Map() })
}

type Restoring = { definitions: Definitions; id: string }

async function restoreInside(inside: Scope, resource: Resource, { definitions, id }: Restoring): Promise<void> {
  const merge = await findMergeOf(inside, id)
  if (merge !== undefined) return undoMergeOf(inside, resource, { definitions, id, merge })
  const { row, claims } = await settled(
    inside,
    () => readDeleted(inside, resource, { definitions, id }),
    ({ row, claims }) => ({ claims, rows: [{ table: resource.type, ids: [row.id], mode: 'alone' }] }),
  )
  if (row.deleted_at === null) return
  // While we waited, it may have been restored by someone else and merged into another one.
  if ((await findMergeOf(inside, id)) !== undefined) throw new Conflict()
  if (row.deleted_at <= restorableSince(inside)) refuseTooLate(resource, row)
  await refuseTaken(inside, resource, { claims, except: [row.id] })
  await returnRecords(inside, resource, [row])
}

async function undoMergeOf(
  inside: Scope,
  resource: Resource,
  { definitions, id, merge }: Restoring & { merge: string },
): Promise<void> {
  const [row] = await loadAnyRows(inside, resource, [id])
  if (!row) refuseNotFound(resource, id)
  requireAbilities(inside, ['update'])
  await undoInside(inside, definitions, async () => {
    // If someone else has just undone it, the record is back.
    if ((await findMerge(inside, merge))?.undone_at) throw new Conflict()
    return findUndoable(inside, merge)
  })
}

async function readDeleted(inside: Scope, resource: Resource, { definitions, id }: Restoring) {
  const [row] = await loadAnyRows(inside, resource, [id])
  if (!row) refuseNotFound(resource, id)
  return { row, claims: claimsOfRows(resource, definitions, [row]) }
}

function refuseTooLate(resource: Resource, { id, deleted_at }: DeletedRow): never {
  const day = deleted_at?.slice(0, 10)
  const message = `The ${resource.one} with the ID ${id} was deleted on ${day} and can no longer be restored: the trash keeps records for 30 days.`
  refuse({ kind: 'not_found', message })
}
