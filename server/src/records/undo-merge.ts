import { excerpt } from '@kith/contract/excerpt'
import type { Definitions } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import { registry, resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { type Change, writeAudit } from '../audit/write.ts'
import { moveCounts } from '../db/counts.ts'
import { findAllFields } from '../db/custom-fields.ts'
import { findLinked } from '../db/links.ts'
import { findMerge, findMergeOf, type MergeRow, markUndone } from '../db/merges.ts'
import { loadMovedLinks, lockMoved, type MovedLink, moveBack, unlinkWinner } from '../db/moves-back.ts'
import { findAllForChange, findRecord, type StoredRecord } from '../db/records.ts'
import { loadAnyRows, lockAnyRows } from '../db/trash.ts'
import type { Scope } from '../scope.ts'
import { requireAbilities } from './allow.ts'
import { auditChanges, linkKey } from './audit-changes.ts'
import { applyChanges, type Changes, isNothing, type LinkChange } from './changes.ts'
import { claimsOf, lockClaims } from './check-input.ts'
import { columnsTo, momentAfterAll, moved as movedEntry, touch } from './merge-moves.ts'
import { notedLinks, reversed } from './merge-notes.ts'
import { type Presented, presentRecords } from './present.ts'
import { claimsOfRows, refuseTaken, returnRecords } from './return.ts'
import { restorableSince } from './trash.ts'
import { writing } from './writing.ts'

type Merge = MergeRow & { loser_ids: string[] }

/**
 * Parts records again that were merged: brings the losers back, with what referred to them, and takes from the winner what
 * it had taken over. What was changed meanwhile stays as it is. Answers with the winner.
 */
export async function undoMerge(scope: Scope, id: string): Promise<Presented> {
  requireAbilities(scope, ['update', 'delete'])
  const { row, resource, definitions } = await writing(scope, async (inside, definitions) => {
    const merge = await undoInside(inside, definitions, id)
    const resource = registry[merge.resource]
    const row = await findRecord(inside, resource, merge.winner_id)
    if (!row) throw new Error('The winner of a merge that was just undone is not there.')
    return { row, resource, definitions }
  })
  return presentRecords(scope, resource, definitions, [row], { include: [], fields: new Map() })
}

/** Likewise, in a transaction of someone else's. */
export async function undoInside(inside: Scope, definitions: Definitions, id: string): Promise<Merge> {
  const merge = await findUndoable(inside, id)
  const resource = registry[merge.resource]
  const ids = [merge.winner_id, ...merge.loser_ids]
  const claims = claimsOfRows(resource, definitions, await loadAnyRows(inside, resource, merge.loser_ids))
  await lockClaims(inside, claims)
  const [winner] = await findAllForChange(inside, resource, [merge.winner_id])
  if (!winner) return refuseWithoutWinner(inside, resource, merge)
  const losers = await lockAnyRows(inside, resource, merge.loser_ids)
  const changes = await changesBack(inside, resource, merge, winner)
  await refuseTaken(inside, resource, [...claims, ...claimsOf(changes.values)], ids)
  if (!isNothing(changes)) await applyChanges(inside, resource, winner, changes, [])
  await returnRecords(
    inside,
    resource,
    losers.filter((row) => row.deleted_at !== null),
  )
  await bringBack(inside, resource, merge)
  await markUndone(inside, merge.id, inside.now().toISOString())
  const entry = { action: 'undo_merge', resource: resource.type, record_id: winner.id } as const
  await writeAudit(inside, [{ ...entry, changes: auditChanges(resource, winner, changes) }])
  return merge
}

async function findUndoable(inside: Scope, id: string): Promise<Merge> {
  const merge = await findMerge(inside, parseId(id) ?? '')
  if (!merge) refuse({ kind: 'not_found', message: `No merge with the ID ${excerpt(id)} exists in this workspace.` })
  if (merge.undone_at !== null) {
    const message = `This merge was undone already, on ${merge.undone_at.slice(0, 10)}.`
    refuse({ kind: 'invalid', issues: [{ path: 'id', message }] })
  }
  if (merge.created_at <= restorableSince(inside)) {
    const message = `The merge of ${merge.created_at.slice(0, 10)} can no longer be undone: that is possible for 30 days.`
    refuse({ kind: 'not_found', message })
  }
  return merge
}

async function refuseWithoutWinner(inside: Scope, { one }: Resource, { winner_id }: Merge): Promise<never> {
  const later = await findMergeOf(inside, winner_id)
  const message = later
    ? `The ${one} ${winner_id}, into which they were merged, was merged into another one afterwards. Undo that merge (${later}) first.`
    : `The ${one} ${winner_id}, into which they were merged, is deleted. Restore it first.`
  return refuse({ kind: 'invalid', issues: [{ path: 'winner_id', message }] })
}

async function changesBack(inside: Scope, resource: Resource, merge: Merge, winner: StoredRecord): Promise<Changes> {
  const fields = (await findAllFields(inside)).filter((field) => field.entity_type === resource.type)
  const links: LinkChange[] = []
  for (const { relation, added, removed } of notedLinks(merge.changes)) {
    const linked = new Set(await findLinked(inside, winner.id, relation))
    const change = {
      relation,
      added: removed.filter((id) => !linked.has(id)),
      removed: added.filter((id) => linked.has(id)),
    }
    if (change.added.length > 0 || change.removed.length > 0) links.push(change)
  }
  return { ...reversed(resource, { notes: merge.changes, winner, fields }), links }
}

/** Whatever was moved to the winner, and has not been moved elsewhere since, goes back to where it came from. */
async function bringBack(inside: Scope, resource: Resource, { id: merge_id, winner_id }: Merge): Promise<void> {
  for (const { referring, column } of columnsTo(resource)) {
    const moved = { merge_id, resource: referring, column, winner_id }
    const rows = await lockMoved(inside, moved)
    if (rows.length === 0) continue
    await moveBack(inside, moved, momentAfterAll(inside, rows))
    await moveCounts(inside.db, inside.engine, inside.workspace.id, referring.type, { live: 0 })
    const live = rows.filter((row) => row.deleted_at === null)
    await writeAudit(
      inside,
      live.map((row) => movedEntry(referring, row.id, [column, winner_id, row.from_id])),
    )
  }
  for (const { type, links } of resources) {
    if (!Object.values(links).some(({ to }) => to === resource.type)) continue
    const touched = await touch(inside, type, { merge_id, winner_id })
    const back = await loadMovedLinks(inside, merge_id, type)
    await writeAudit(inside, linkBackEntries(registry[type], touched, back, winner_id))
    await unlinkWinner(inside, merge_id, { type, winnerId: winner_id })
  }
}

function linkBackEntries(from: Resource, touched: ReadonlySet<string>, links: readonly MovedLink[], winnerId: string) {
  const own = links.filter((link) => touched.has(link.record_id))
  return [...Map.groupBy(own, (link) => link.record_id)].map(([id, all]) => {
    const byRelation = [...Map.groupBy(all, (link) => link.relation)]
    const changes = byRelation.map(([relation, back]): Change => {
      return [linkKey(from, relation), [winnerId], back.map((link) => link.from_id)]
    })
    return movedEntry(from, id, ...changes)
  })
}
