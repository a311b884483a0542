import type { Definitions } from '@kith/contract/field-definition'
import { refuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/conflict.ts'
import { loadExternalIds } from '../../storage/tables/external-ids.ts'
import { findMerge, findMergeOf } from '../../storage/tables/merges.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/trash.ts'
import { requireAbilities } from '../allow.ts'
import { lockWhatIsRead } from '../lock-what-is-read.ts'
import { findUndoable, undoInside } from '../merge/undo-merge.ts'
import { type Presented, presentWritten } from '../present.ts'
import { idInPath, refuseNotFound } from '../read.ts'
import { storeReturns } from '../store.ts'
import { writing } from '../writing.ts'
import { claimsOfRows, refuseTaken, refuseTakenIds } from './claims.ts'
import { restorableSince } from './trash.ts'

/**
 * Makes a deleted record live again, with the references and links to it. Needs the ability to delete. A record that
 * was merged into another one returns by undoing the merge. A live record stays as it is.
 */
export async function restoreRecord(scope: Scope, resource: Resource, id: string): Promise<Presented> {
  requireAbilities(scope, ['delete'])
  const recordId = idInPath(resource, id)
  return writing(scope, async (inside, definitions) => {
    await restoreInside(inside, resource, { definitions, id: recordId })
    return presentWritten(inside, resource, { definitions, id: recordId })
  })
}

type Restoring = { definitions: Definitions; id: string }

async function restoreInside(inside: Scope, resource: Resource, { definitions, id }: Restoring): Promise<void> {
  const merge = await findMergeOf(inside, id)
  if (merge !== undefined) return undoMergeOf(inside, resource, { definitions, id, merge })
  const fields = definitions[resource.type].list
  const { row, externalIds } = await lockWhatIsRead(
    inside,
    async () => {
      const [row, externalIds] = await Promise.all([findAnyRow(inside, resource, id), loadExternalIds(inside, [id])])
      return { row, externalIds }
    },
    (seen) => ({
      claims: claimsOfRows(fields, [seen.row]),
      externalIds: seen.externalIds,
      rows: [{ table: resource.type, ids: [seen.row.id], mode: 'alone' }],
    }),
  )
  if (row.deleted_at === null) return
  // Another request may have restored it meanwhile and merged it into another record.
  if ((await findMergeOf(inside, id)) !== undefined) throw new Conflict()
  if (row.deleted_at <= restorableSince(inside)) refuseTooLate(resource, row)
  await refuseTaken(inside, resource, { claims: claimsOfRows(fields, [row]), except: [row.id] })
  await refuseTakenIds(inside, resource, { claims: externalIds, except: [row.id] })
  await storeReturns(inside, resource, [row])
}

async function undoMergeOf(
  inside: Scope,
  resource: Resource,
  { definitions, id, merge }: Restoring & { merge: string },
): Promise<void> {
  await findAnyRow(inside, resource, id)
  requireAbilities(inside, ['update'])
  await undoInside(inside, definitions, async () => {
    // If another request has just undone it, the record is back.
    if ((await findMerge(inside, merge))?.undone_at) throw new Conflict()
    return findUndoable(inside, merge)
  })
}

async function findAnyRow(inside: Scope, resource: Resource, id: string): Promise<DeletedRow> {
  const [row] = await loadAnyRows(inside, resource, [id])
  return row ?? refuseNotFound(resource, id)
}

function refuseTooLate(resource: Resource, { id, deleted_at }: DeletedRow): never {
  const deleted = `The ${resource.one} with the ID ${id} was deleted on ${deleted_at?.slice(0, 10)}`
  const message = `${deleted} and can no longer be restored: the trash keeps records for 30 days.`
  refuse({ kind: 'not_found', message })
}
