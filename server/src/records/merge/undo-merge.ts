import { excerpt } from '@kith/contract/excerpt'
import type { Definitions } from '@kith/contract/field-definition'
import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import { registry, resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { type AuditEntry, type Change, writeAudit } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { addToCounts } from '../../storage/tables/counts.ts'
import { findAllFields } from '../../storage/tables/custom-fields.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import { findLinked } from '../../storage/tables/links.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import type { Referring } from '../../storage/tables/merge-moves.ts'
import {
  loadMoved,
  loadMovedIds,
  loadMovedLinks,
  type MovedColumn,
  type MovedLink,
  moveBack,
  unlinkWinner,
} from '../../storage/tables/merge-moves.ts'
import { findMerge, findMergeOf, type Merge, markUndone } from '../../storage/tables/merges.ts'
import { findRecord, loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/trash.ts'
import { requireAbilities } from '../allow.ts'
import { auditChanges, linkKey } from '../audit-changes.ts'
import { applyChanges, type Changes, isNothing, type LinkChange } from '../changes.ts'
import { claimsOf } from '../check-input.ts'
import { type Presented, presentRecords } from '../present.ts'
import { type Needs, namedRows, settled } from '../settled.ts'
import { claimsOfRows, refuseTaken, returnRecords } from '../trash/return.ts'
import { restorableSince } from '../trash/trash.ts'
import { writing } from '../writing.ts'
import { changing, columnsTo, momentAfterAll, moved as movedEntry, touch } from './moves.ts'
import { notedLinks, reversed } from './notes.ts'

/**
 * Undoes a merge: brings the losers back, with what referred to them, and takes from the winner what it had taken over.
 * What was changed meanwhile stays as it is. Answers with the winner.
 */
export async function undoMerge(scope: Scope, id: string): Promise<Presented> {
  requireAbilities(scope, ['update', 'delete'])
  const { row, resource, definitions } = await writing(scope, async (inside, definitions) => {
    const merge = await undoInside(inside, definitions, () => findUndoable(inside, id))
    const resource = registry[merge.resource]
    const row = await findRecord(inside, resource, merge.winner_id)
    if (!row) throw new Error('The winner of a merge that was just undone is not there.')
    return { row, resource, definitions }
  })
  return presentRecords(scope, resource, { definitions, rows: [row], include: [], fields: new Map() })
}

/** Likewise inside a transaction. `find` reads the merge, and refuses if it cannot be undone any more. */
export async function undoInside(inside: Scope, definitions: Definitions, find: () => Promise<Merge>): Promise<Merge> {
  const { merge, resource, winner, losers, changes, claims } = await settled(
    inside,
    async () => readParties(inside, definitions, await find()),
    needsOf,
  )
  await refuseTaken(inside, resource, { claims, except: [winner.id, ...merge.loser_ids] })
  const moving = await lockMovingBack(inside, resource, find)
  if (!isNothing(changes)) await applyChanges(inside, resource, { current: winner, changes, entries: [] })
  await returnRecords(
    inside,
    resource,
    losers.filter((row) => row.deleted_at !== null),
  )
  await bringBack(inside, moving, merge)
  await markUndone(inside, merge.id, inside.now().toISOString())
  const entry = { action: 'undo_merge', resource: resource.type, record_id: winner.id } as const
  await writeAudit(inside, [{ ...entry, changes: auditChanges(resource, winner, changes) }])
  return merge
}

type Parties = {
  merge: Merge
  resource: Resource
  winner: StoredRecord
  losers: readonly DeletedRow[]
  /** What the winner gets back. */
  changes: Changes
  /** The unique values that the winner and the losers hold again. */
  claims: readonly Claim[]
}

async function readParties(inside: Scope, definitions: Definitions, merge: Merge): Promise<Parties> {
  const resource = registry[merge.resource]
  const [winner] = await loadStored(inside, resource, [merge.winner_id])
  if (!winner) return refuseWithoutWinner(inside, resource, merge)
  const losers = await loadAnyRows(inside, resource, merge.loser_ids)
  // Only what has been in the trash for 30 days is gone for good.
  if (losers.length < merge.loser_ids.length) refuseTooLate(merge)
  const changes = await changesBack(inside, resource, { merge, winner })
  const claims = [...claimsOfRows(resource, definitions, losers), ...claimsOf(changes.values)]
  return { merge, resource, winner, losers, changes, claims }
}

function needsOf({ merge, resource, changes, claims }: Parties): Needs {
  const own: RowLock = { table: resource.type, ids: [merge.winner_id, ...merge.loser_ids], mode: 'alone' }
  return { claims, rows: [...namedRows(resource, changes), own] }
}

export async function findUndoable(inside: Scope, id: string): Promise<Merge> {
  const merge = await findMerge(inside, parseId(id) ?? '')
  if (!merge) refuse({ kind: 'not_found', message: `No merge with the ID ${excerpt(id)} exists in this workspace.` })
  if (merge.undone_at !== null) {
    const message = `This merge was undone already, on ${merge.undone_at.slice(0, 10)}.`
    refuse({ kind: 'invalid', issues: [{ path: 'id', message }] })
  }
  if (merge.created_at <= restorableSince(inside)) refuseTooLate(merge)
  return merge
}

function refuseTooLate({ created_at }: Merge): never {
  const message = `The merge of ${created_at.slice(0, 10)} can no longer be undone: that is possible for 30 days.`
  refuse({ kind: 'not_found', message })
}

async function refuseWithoutWinner(inside: Scope, { one }: Resource, { winner_id }: Merge): Promise<never> {
  const later = await findMergeOf(inside, winner_id)
  const message = later
    ? `The ${one} ${winner_id}, into which they were merged, was merged into another one afterwards. Undo that merge (${later}) first.`
    : `The ${one} ${winner_id}, into which they were merged, is deleted. Restore it first.`
  return refuse({ kind: 'invalid', issues: [{ path: 'winner_id', message }] })
}

async function changesBack(
  inside: Scope,
  resource: Resource,
  { merge, winner }: Pick<Parties, 'merge' | 'winner'>,
): Promise<Changes> {
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

/** What a merge has moved to its winner and was not moved elsewhere since. */
type MovingBack = {
  references: (MovedColumn & { rows: Referring[] })[]
  /** The resources whose records were linked to the losers, and which records those are, live or deleted. */
  linking: { type: ResourceName; ids: string[] }[]
}

/** Locks what goes back, and the merge itself at the end: purging takes only that. */
async function lockMovingBack(inside: Scope, resource: Resource, find: () => Promise<Merge>): Promise<MovingBack> {
  const { moving } = await settled(
    inside,
    async () => {
      const merge = await find()
      return { merge, moving: await readMovingBack(inside, resource, merge) }
    },
    ({ merge, moving: { references, linking } }) => ({
      claims: [],
      rows: [
        ...references.map((moved) => changing(moved.resource.type, moved.rows)),
        ...linking.map(({ type, ids }): RowLock => ({ table: type, ids, mode: 'change' })),
        { table: 'merges', ids: [merge.id], mode: 'alone' },
      ],
    }),
  )
  return moving
}

async function readMovingBack(inside: Scope, resource: Resource, { id: merge_id, winner_id }: Merge) {
  const moving: MovingBack = { references: [], linking: [] }
  for (const { referring, column } of columnsTo(resource)) {
    const moved = { merge_id, resource: referring, column, winner_id }
    moving.references.push({ ...moved, rows: await loadMoved(inside, moved) })
  }
  for (const { type, links } of resources) {
    if (!Object.values(links).some(({ to }) => to === resource.type)) continue
    moving.linking.push({ type, ids: await loadMovedIds(inside, merge_id, type) })
  }
  return moving
}

async function bringBack(inside: Scope, { references, linking }: MovingBack, merge: Merge): Promise<void> {
  const { id: merge_id, winner_id } = merge
  for (const { rows, ...moved } of references) {
    if (rows.length === 0) continue
    const { resource, column } = moved
    await moveBack(inside, moved, momentAfterAll(inside, rows))
    await addToCounts(inside, resource.type, 0)
    const live = rows.filter((row) => row.deleted_at === null)
    await writeAudit(
      inside,
      live.map((row) => movedEntry(resource, row.id, [column, winner_id, row.from_id])),
    )
  }
  for (const { type } of linking) {
    const touched = await touch(inside, type, { merge_id, winner_id })
    const back = await loadMovedLinks(inside, merge_id, type)
    await writeAudit(inside, linkBackEntries(registry[type], { touched, links: back, winner_id }))
    await unlinkWinner(inside, merge_id, { type, winnerId: winner_id })
  }
}

function linkBackEntries(
  from: Resource,
  { touched, links, winner_id }: { touched: ReadonlySet<string>; links: readonly MovedLink[]; winner_id: string },
): AuditEntry[] {
  const own = links.filter((link) => touched.has(link.record_id))
  return [...Map.groupBy(own, (link) => link.record_id)].map(([id, all]) => {
    const byRelation = [...Map.groupBy(all, (link) => link.relation)]
    const changes = byRelation.map(([relation, back]): Change => {
      return [linkKey(from, relation), [winner_id], back.map((link) => link.from_id)]
    })
    return movedEntry(from, id, ...changes)
  })
}
