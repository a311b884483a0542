import type { FieldDefinition } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { RESTORE_DAYS } from '@kith/contract/limits'
import { refuseIfAny, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { Conflict } from '../../storage/engines/transactions.ts'
import { findFields } from '../../storage/tables/custom-fields.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/expiry.ts'
import { type ExternalClaim, removeExternalIds } from '../../storage/tables/external-ids.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import { loadLinked, type RowLock } from '../../storage/tables/links.ts'
import { findMerge, findMergeOf, type Merge, mergeTable } from '../../storage/tables/merges.ts'
import { findRecord, loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import type { Changes, LinkChange } from '../changes.ts'
import { claimsOf, claimsOfRows, refuseTaken } from '../check-input.ts'
import { idsBack } from '../external-ids.ts'
import { followersFromWinner } from '../follows.ts'
import { type PresentedRecords, presentRecords } from '../present.ts'
import { partsFromWinner } from '../record-parts.ts'
import { storeChanges, storeReturns } from '../store.ts'
import { valuesIn } from '../stored-values.ts'
import { plansFromWinner } from '../tasks/merged-plans.ts'
import { restorableSince } from '../trash/trash.ts'
import { type Locks, lockWhatIsRead, namedRows, writing } from '../write-targets.ts'
import { lockMovingBack, moveFromWinner } from './moves.ts'
import { nameOf, readNotes, reversed } from './winner.ts'

/**
 * Undoes a merge: restores the losers with their references, and the winner's earlier state. Later changes stay.
 * Returns the winner. A merge that was already undone is not changed.
 */
export async function undoMerge(scope: Scope, id: string, issues: readonly Issue[] = []): Promise<PresentedRecords> {
  requireAbilities(scope, ['update', 'delete'])
  return writing(scope, async (inside) => {
    const merge = (await findMerge(inside, parseId(id) ?? '')) ?? refuseUnknownId('merge', id)
    refuseIfAny([...issues])
    const resource = requireResource(inside.schema, merge.resource)
    if (merge.undone_at === null) await undoInside(inside, merge.id)
    const row = await findRecord(inside, resource, merge.winner_id)
    if (!row) return refuseWithoutWinner(inside, resource, merge)
    return presentRecords(inside, resource, { rows: [row], include: [], fields: new Map() })
  })
}

/**
 * Like `undoMerge`, inside a transaction. If another request undoes it at the same time, the transaction restarts.
 * `undoes`: the changes of the losers by their ids, if this is the undo of these changes.
 */
export async function undoInside(inside: Scope, id: string, undoes?: ReadonlyMap<string, string>): Promise<void> {
  const find = () => findUndoable(inside, id)
  const { merge, resource, winner, losers, changes, claims, externalIds } = await lockWhatIsRead(
    inside,
    async () => readParties(inside, await find()),
    locksOf,
  )
  const fields = resource.fields.list
  await refuseTaken(inside, resource, { claims, externalIds, except: [winner.id, ...merge.loser_ids] })
  // The winner may have got a loser's value in another way since then. In that case it keeps it.
  const kept = keptOf(claimsOfRows(fields, losers), { merge, winner, changes, fields })
  await refuseTaken(inside, resource, { claims: kept, externalIds: [], except: merge.loser_ids })
  const moving = await lockMovingBack(inside, resource, find)
  const deleted = losers.filter((row) => row.deleted_at !== null)
  // Only one live record can hold an id.
  await removeExternalIds(inside, changes.external_ids?.removed ?? [])
  const [cause] = await storeReturns(inside, resource, { rows: deleted, undoes })
  await moveFromWinner(inside, moving, cause)
  await partsFromWinner(inside, { merge_id: merge.id, winner_id: winner.id, cause })
  await followersFromWinner(inside, { merge_id: merge.id, winner_id: winner.id })
  await plansFromWinner(inside, resource, { merge_id: merge.id, winner_id: winner.id })
  await mergeTable.update(inside, { id: merge.id }, { undone_at: inside.now().toISOString() })
  await storeChanges(inside, resource, { current: winner, changes, fields, action: 'undo_merge', cause })
}

/** The losers' values that the winner did not hold before the merge, and holds after its undo. */
function keptOf(
  claims: readonly Claim[],
  {
    merge,
    winner,
    changes: { values },
    fields,
  }: Pick<Parties, 'merge' | 'winner' | 'changes'> & { fields: readonly FieldDefinition[] },
): Claim[] {
  const { held } = readNotes(merge)
  if (!held) return []
  const changed = new Set([...values.keys()].map(({ id }) => id))
  const after = claimsOf([...valuesIn(winner, fields).filter(([{ id }]) => !changed.has(id)), ...values]).map(nameOf)
  return claims.filter((claim) => after.includes(nameOf(claim)) && !held.includes(nameOf(claim)))
}

type Parties = {
  merge: Merge
  resource: Resource
  winner: StoredRecord
  losers: readonly DeletedRow[]
  changes: Changes
  /** The unique values that the winner and the losers hold again. */
  claims: readonly Claim[]
  /** The external ids that the winner and the losers hold again. */
  externalIds: readonly ExternalClaim[]
}

async function readParties(inside: Scope, merge: Merge): Promise<Parties> {
  const resource = requireResource(inside.schema, merge.resource)
  const [winner] = await loadStored(inside, resource, [merge.winner_id])
  if (!winner) return refuseWithoutWinner(inside, resource, merge)
  const losers = await loadAnyRows(inside, resource, merge.loser_ids)
  // Records expire after 30 days in the trash.
  if (losers.length < merge.loser_ids.length) refuseTooLate(merge)
  const changes = await changesBack(inside, resource, { merge, winner })
  const claims = [...claimsOfRows(resource.fields.list, losers), ...claimsOf(changes.values)]
  const noted = readNotes(merge).external_ids
  const { returning, change } = await idsBack(inside, { winner, loser_ids: merge.loser_ids, noted })
  const externalIds = [...returning, ...(change?.added ?? [])]
  return { merge, resource, winner, losers, changes: { ...changes, external_ids: change }, claims, externalIds }
}

function locksOf({ merge, resource, winner, changes, claims, externalIds }: Parties): Locks {
  const own: RowLock = { of: resource.number, ids: [merge.winner_id, ...merge.loser_ids], mode: 'alone' }
  // The winner is read again for the response: what it refers to must not be deleted or restored meanwhile.
  const values = valuesIn(winner, resource.fields.references)
  const held = namedRows(resource, { references: new Map(Object.entries(winner.stored)), links: [], values })
  return { claims, externalIds, rows: [...namedRows(resource, changes), ...held, own] }
}

async function findUndoable(inside: Scope, id: string): Promise<Merge> {
  const merge = await findMerge(inside, id)
  if (!merge || merge.undone_at !== null) throw new Conflict()
  if (isTooLate(inside, merge)) refuseTooLate(merge)
  return merge
}

export function isTooLate(inside: Scope, { created_at }: { created_at: string }): boolean {
  return created_at <= restorableSince(inside)
}

function refuseTooLate({ created_at }: Merge): never {
  const message = `The merge of ${created_at.slice(0, 10)} can no longer be undone: that is possible for ${RESTORE_DAYS} days.`
  refuseValue('merge', message)
}

async function refuseWithoutWinner(inside: Scope, { one }: Resource, { winner_id }: Merge): Promise<never> {
  const later = await findMergeOf(inside, winner_id)
  const message = later
    ? `The ${one} ${winner_id}, into which they were merged, was merged into another one afterwards. Undo that merge (${later}) first.`
    : `The ${one} ${winner_id}, into which they were merged, is deleted. Restore it first.`
  return refuseValue('winner_id', message)
}

async function changesBack(
  inside: Scope,
  resource: Resource,
  { merge, winner }: Pick<Parties, 'merge' | 'winner'>,
): Promise<Changes> {
  const fields = await findFields(inside, resource.type)
  const notes = readNotes(merge)
  const held = await loadLinked(
    inside,
    [winner.id],
    notes.links.map(({ relation }) => relation),
  )
  const links = notes.links.flatMap(({ relation, added, removed }): LinkChange[] => {
    const linked = new Set(held.flatMap((link) => (link.relation === relation ? [link.to_id] : [])))
    const back = { added: removed.filter((id) => !linked.has(id)), removed: added.filter((id) => linked.has(id)) }
    return back.added.length + back.removed.length > 0 ? [{ relation, ...back }] : []
  })
  return { ...reversed(resource, { notes, winner, fields }), links }
}
