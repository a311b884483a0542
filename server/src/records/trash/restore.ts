import type { Issue } from '@kith/contract/issue'
import { RESTORE_DAYS } from '@kith/contract/limits'
import { Refusal, type RefusalReason, refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/expiry.ts'
import { loadExternalIds } from '../../storage/tables/external-ids.ts'
import { lockRows } from '../../storage/tables/links.ts'
import { findMerge, findMergeOf, loadLinked, touchLinked, touchReferring } from '../../storage/tables/merges.ts'
import { findRecord, loadStored } from '../../storage/tables/records.ts'
import { linkKey, momentAfter } from '../changes.ts'
import { claimsOfRows, refuseTaken } from '../check-input.ts'
import { type Precondition, requireExpected, requireExpectedTime, unexpected } from '../expected.ts'
import { missingReasons, refuseMissing } from '../merge/merged-into.ts'
import { showValuesAgain } from '../merge/moved-values.ts'
import { finishReferences, lockMoving, type MovedReferences } from '../merge/moves.ts'
import { isTooLate, undoInside } from '../merge/undo-merge.ts'
import { type PresentedRecords, presentWritten } from '../present.ts'
import { idInPath } from '../read.ts'
import { finishWrite, movedEntry, storeDeletions, storeReturns } from '../store.ts'
import { lockWhatIsRead, writing } from '../write-targets.ts'
import { restorableSince } from './trash.ts'

/** `undo_of`: the change that this undoes. */
type RecordAddress = {
  id: string
  expected?: Precondition
  issues?: readonly Issue[]
  undo_of?: string | undefined
  /** Whether there is nothing to do, under the lock of the record. */
  unless?: () => Promise<boolean>
}

/**
 * Restores a deleted record, with the references and links to it. A merged record is restored by undoing the merge. A
 * live record is not changed.
 */
export async function restoreRecord(
  scope: Scope,
  named: Resource,
  { id, expected, issues = [] }: RecordAddress,
): Promise<PresentedRecords> {
  requireAbilities(scope, ['update', 'delete'])
  const recordId = idInPath(named, id)
  return writing(scope, async (inside) => {
    const resource = requireResource(inside.schema, named.type)
    await restoreInside(inside, resource, { id: recordId, expected, issues })
    return presentWritten(inside, resource, recordId)
  })
}

type RestoreRequest = RecordAddress & Required<Pick<RecordAddress, 'issues'>>

async function restoreInside(inside: Scope, resource: Resource, restoring: RestoreRequest): Promise<void> {
  const merge = await findMergeOf(inside, restoring.id)
  if (merge !== undefined) await undoMergeOf(inside, resource, { ...restoring, merge })
  else await restoreDeleted(inside, resource, restoring)
}

/** Restores a record that is not merged, inside a transaction. False if there was nothing to do. */
export async function restoreDeleted(inside: Scope, resource: Resource, restoring: RestoreRequest): Promise<boolean> {
  const { id, issues, unless } = restoring
  const fields = resource.fields.list
  const { row, externalIds } = await lockWhatIsRead(
    inside,
    async () => {
      const [row, externalIds] = await Promise.all([findAnyRow(inside, resource, id), loadExternalIds(inside, [id])])
      return { row, externalIds }
    },
    (seen) => ({
      claims: claimsOfRows(fields, [seen.row]),
      externalIds: seen.externalIds,
      rows: [{ of: resource.number, ids: [seen.row.id], mode: 'alone' }],
    }),
  )
  if (row.deleted_at === null) {
    await checkLive(inside, resource, restoring)
    return false
  }
  if (await unless?.()) return false
  // Meanwhile another request may have restored it and merged it into another record.
  if ((await findMergeOf(inside, id)) !== undefined) throw new Conflict()
  if (row.deleted_at <= restorableSince(inside)) refuseTooLate(resource, row)
  requireExpectedTime(resource, restoring.expected, row)
  refuseIfAny([...issues])
  await refuseTaken(inside, resource, { claims: claimsOfRows(fields, [row]), externalIds, except: [row.id] })
  // Including deleted ones: a record that is restored at the same time must see this record, or be seen here.
  const referring = await lockMoving(inside, resource, { winner_id: row.id, loser_ids: [row.id] })
  const undoes = restoring.undo_of === undefined ? undefined : new Map([[row.id, restoring.undo_of]])
  const [cause] = await storeReturns(inside, resource, { rows: [row], undoes })
  await storeReadableAgain(inside, resource, referring, { id: row.id, cause })
  return true
}

async function checkLive(inside: Scope, resource: Resource, { id, expected, issues }: RestoreRequest): Promise<void> {
  const current = await findRecord(inside, resource, id)
  if (current) await requireExpected(inside, resource, { expected, current })
  refuseIfAny([...issues])
}

async function undoMergeOf(
  inside: Scope,
  resource: Resource,
  { id, expected, issues, merge }: RestoreRequest & { merge: string },
): Promise<void> {
  const row = await findAnyRow(inside, resource, id)
  const found = await findMerge(inside, merge)
  if (found && isTooLate(inside, found)) {
    const message = `The ${resource.one} with the ID ${id} was merged on ${found.created_at.slice(0, 10)} ${TOO_LATE}`
    const [missing] = await missingReasons(inside, resource, [id])
    refuse({ ...missing, kind: 'not_found', message })
  }
  // The time of a deleted record does not change. If the merge is undone meanwhile, the transaction restarts.
  requireExpectedTime(resource, expected, row)
  refuseIfAny([...issues])
  await undoInside(inside, merge)
}

async function findAnyRow(inside: Scope, resource: Resource, id: string): Promise<DeletedRow> {
  const [row] = await loadAnyRows(inside, resource, [id])
  return row ?? refuseMissing(inside, resource, id)
}

function refuseTooLate(resource: Resource, { id, deleted_at }: DeletedRow): never {
  const message = `The ${resource.one} with the ID ${id} was deleted on ${deleted_at?.slice(0, 10)} ${TOO_LATE}`
  refuse({ kind: 'not_found', message })
}

const TOO_LATE = `and can no longer be restored: the trash keeps records for ${RESTORE_DAYS} days.`

/** Completes a restore: a new time and an entry for each live record whose reference or link to it is visible again. */
async function storeReadableAgain(
  inside: Scope,
  resource: Resource,
  { references, values, links }: MovedReferences,
  { id, cause }: { id: string; cause: string | undefined },
): Promise<void> {
  for (const { referring, column, rows } of references) {
    if (rows.every((row) => row.deleted_at !== null)) continue
    const at = momentAfter(inside, rows)
    await touchReferring(inside, { resource: referring, column, id }, at)
    await finishReferences(inside, referring, { rows, at, cause, changeOf: () => [column, null, id] })
  }
  for (const one of values) await showValuesAgain(inside, resource, one, { id, cause })
  const linking = new Set(links.map((link) => link.from_type))
  for (const from of [...inside.schema.values()].filter(({ type }) => linking.has(type))) {
    await storeLinkedAgain(inside, from, { id, cause, links })
  }
}

async function storeLinkedAgain(
  inside: Scope,
  resource: Resource,
  { id, cause, links }: { id: string; cause: string | undefined; links: MovedReferences['links'] },
): Promise<void> {
  const { type } = resource
  const linked = { type, to_id: id }
  const live = await loadLinked(inside, linked)
  if (live.length === 0) return
  const at = momentAfter(inside, live)
  await touchLinked(inside, linked, at)
  const relations = Map.groupBy(links, (link) => link.from_id)
  const entries = live.map((row) => {
    const own = relations.get(row.id) ?? []
    const changes = own.map(({ relation }): Change => [linkKey(resource, relation), [], [id]])
    return movedEntry(type, { record_id: row.id, at, cause }, changes)
  })
  await finishWrite(inside, type, { entries })
}

/** Soft-deletes a record: its row and links stay, so that it can be restored. */
export async function removeRecord(
  scope: Scope,
  named: Resource,
  { id: sent_id, expected, issues = [] }: { id: string; expected?: Precondition; issues?: readonly Issue[] },
): Promise<void> {
  requireAbilities(scope, ['delete'])
  const id = idInPath(named, sent_id)
  await writing(scope, async (inside) => {
    const [removed] = await removeSet(inside, requireResource(inside.schema, named.type), [{ id, sent_id, expected }])
    if (removed && 'refused' in removed) throw new Refusal(removed.refused)
    refuseIfAny([...issues])
  })
}

/** `sent_id` is the id as it was sent, for messages. `undo_of` is the change that the deletion undoes. */
export type Removal = { id: string; sent_id: string; expected: Precondition; undo_of?: string }

/** The change of a deletion, or why it is refused. */
type Removed = { change_id: string } | { refused: RefusalReason }

/** Deletes different records. Of one that is refused nothing is written. */
export async function removeSet(inside: Scope, resource: Resource, removals: readonly Removal[]): Promise<Removed[]> {
  // No other transaction may add a reference to them.
  await lockRows(inside, [{ of: resource.number, ids: removals.map(({ id }) => id), mode: 'alone' }])
  return removeLocked(inside, resource, removals)
}

/** Like `removeSet`, for records that are locked. */
export async function removeLocked(
  inside: Scope,
  resource: Resource,
  removals: readonly Removal[],
): Promise<Removed[]> {
  const changed = await findChanged(inside, resource, removals)
  const deleting = removals.filter(({ id }) => !changed.has(id)).map(({ id }) => id)
  const undoes = new Map(removals.flatMap(({ id, undo_of }) => (undo_of === undefined ? [] : [[id, undo_of]])))
  const deleted: ReadonlyMap<string, string> =
    deleting.length === 0 ? new Map() : await storeDeletions(inside, resource, { ids: deleting, undoes })
  const missing = removals.filter(({ id }) => !deleted.has(id) && !changed.has(id))
  const reasons = await missingReasons(
    inside,
    resource,
    missing.map(({ sent_id }) => sent_id),
  )
  return removals.map((removal): Removed => {
    const refused = changed.get(removal.id) ?? reasons[missing.indexOf(removal)]
    return refused ? { refused } : { change_id: deleted.get(removal.id) ?? '' }
  })
}

/** Why live records do not meet their preconditions, by id. */
async function findChanged(
  inside: Scope,
  resource: Resource,
  removals: readonly Removal[],
): Promise<Map<string, RefusalReason>> {
  const expecting = new Map(removals.flatMap(({ id, expected }) => (expected === undefined ? [] : [[id, expected]])))
  if (expecting.size === 0) return new Map()
  const changed = new Map<string, RefusalReason>()
  for (const current of await loadStored(inside, resource, [...expecting.keys()])) {
    const expected = expecting.get(current.id)
    const reason = await unexpected(inside, resource, { expected, current })
    if (reason) changed.set(current.id, reason)
  }
  return changed
}
