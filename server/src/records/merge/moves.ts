import { registry, resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { insertLinks } from '../../storage/tables/links.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import {
  insertMoves,
  type LinkRow,
  loadLinked,
  loadLinksTo,
  loadMoved,
  loadMovedIds,
  loadMovedLinks,
  loadReferring,
  type Merge,
  type Move,
  type MovedLink,
  moveBack,
  type Referring,
  replaceReferences,
  stayWithWinners,
  touchLinked,
  unlinkWinner,
} from '../../storage/tables/merges.ts'
import { linkKey, momentAfter } from '../changes.ts'
import { lockWhatIsRead } from '../lock-what-is-read.ts'
import { finishWrite, type RecordEntry } from '../store.ts'

type Merging = { merge_id: string; winner_id: string; loser_ids: readonly string[] }

/** A column by which records of a resource refer to the merged ones. */
type ReferringColumn = { referring: Resource; column: string }

/** What refers or is linked to the losers of a merge, live or deleted. */
export type Moving = { references: (ReferringColumn & { rows: Referring[] })[]; links: LinkRow[] }

/** Locks what refers or is linked to the losers. They are locked already, so that nothing new can refer to them. */
export function lockMoving(inside: Scope, resource: Resource, merging: Omit<Merging, 'merge_id'>): Promise<Moving> {
  const read = async () => ({
    references: await loadColumns(resource, ({ referring, column }) =>
      loadReferring(inside, { resource: referring, column, ids: merging.loser_ids }),
    ),
    links: await loadLinksTo(inside, merging.loser_ids, merging.winner_id),
  })
  return lockWhatIsRead(inside, read, ({ references, links }) => ({
    rows: [
      ...references.map(lockOf),
      ...links.map(({ from_type, from_id }): RowLock => ({ table: from_type, ids: [from_id], mode: 'change' })),
    ],
  }))
}

/** The rows that refer to the merged records, for each column that can. */
async function loadColumns(resource: Resource, load: (column: ReferringColumn) => Promise<Referring[]>) {
  const loaded: Moving['references'] = []
  for (const referring of resources) {
    for (const [column, { to }] of Object.entries(referring.references)) {
      if (to === resource.type) loaded.push({ referring, column, rows: await load({ referring, column }) })
    }
  }
  return loaded
}

function lockOf({ referring, rows }: Moving['references'][number]): RowLock {
  return { table: referring.type, ids: rows.map((row) => row.id), mode: 'change' }
}

/** Makes everything that refers or is linked to the losers refer to the winner: a few statements for each column. */
export async function moveToWinner(inside: Scope, { references, links }: Moving, merging: Merging): Promise<void> {
  for (const one of references) await moveReferences(inside, one, merging)
  await moveLinks(inside, links, merging)
}

async function moveReferences(
  inside: Scope,
  { referring, column, rows }: Moving['references'][number],
  { merge_id, winner_id, loser_ids }: Merging,
): Promise<void> {
  if (rows.length === 0) return
  const moves = rows.map(({ id, from_id }): Move => {
    return { resource: referring.type, relation: column, record_id: id, from_id, added: 1 }
  })
  await stayWithWinners(inside, { type: referring.type, column, ids: rows.map(({ id }) => id), to: [winner_id] })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfter(inside, rows)
  await replaceReferences(inside, { resource: referring, column, ids: loser_ids }, { by: winner_id, at })
  await finishReferences(inside, referring, { rows, at, changeOf: ({ from_id }) => [column, from_id, winner_id] })
}

type MovedReferences = { rows: readonly Referring[]; at: string; changeOf: (row: Referring) => Change }

/** Ends a move of references: an entry for each live record. */
export function finishReferences(inside: Scope, { type }: Resource, moved: MovedReferences): Promise<void> {
  const live = moved.rows.filter((row) => row.deleted_at === null)
  const entries = live.map((row) => movedEntry(type, { record_id: row.id, at: moved.at }, [moved.changeOf(row)]))
  return finishWrite(inside, type, { entries })
}

/** The entry of a record whose references or links moved. */
export function movedEntry(
  resource: ResourceName,
  { record_id, at }: { record_id: string; at: string },
  changes: readonly Change[],
): RecordEntry {
  const changed = changes.map(([name]) => name)
  return { action: 'update', resource, record_id, changes, change: { kind: 'updated', at, changed } }
}

/** The links to the losers stay, hidden, for a later undo. */
async function moveLinks(inside: Scope, rows: readonly LinkRow[], { merge_id, winner_id }: Merging): Promise<void> {
  const moves = rows.map(({ from_type, from_id, relation, to_id, held }): Move => {
    return { resource: from_type, relation, record_id: from_id, from_id: to_id, added: held === 1 ? 0 : 1 }
  })
  await insertMoves(inside, merge_id, moves)
  const added = moves.filter((move) => move.added === 1)
  for (const [type, links] of Map.groupBy(added, (move) => move.resource)) {
    // A record may be linked to several losers.
    const fresh = new Map(links.map(({ record_id, relation }) => [`${record_id} ${relation}`, { record_id, relation }]))
    const toWinner = [...fresh.values()].map(({ record_id, relation }) => ({
      from_id: record_id,
      relation,
      to_id: winner_id,
    }))
    await insertLinks(inside, type, toWinner)
    const changeOf = (key: string, own: readonly MovedLink[]): Change => [key, losersIn(own), [winner_id]]
    await finishLinks(inside, type, { merge_id, winner_id, links, held: false, changeOf })
  }
}

type MovedLinks = {
  merge_id: string
  winner_id: string
  links: readonly MovedLink[]
  /** Whether records that were linked to the winner before are meant, too. */
  held: boolean
  /** The change of an attribute, with the links to losers that are in it. */
  changeOf: (key: string, links: readonly MovedLink[]) => Change
}

function losersIn(links: readonly MovedLink[]): string[] {
  return links.map((link) => link.from_id)
}

/** Ends a move of links: a new time and an audit entry for each live record that the merge linked to its winner. */
async function finishLinks(inside: Scope, type: ResourceName, moved: MovedLinks): Promise<void> {
  const { merge_id, winner_id, links, held, changeOf } = moved
  const linked = { merge_id, type, winner_id, held }
  const touched = await loadLinked(inside, linked)
  const at = momentAfter(inside, touched)
  if (touched.length > 0) await touchLinked(inside, linked, at)
  const ids = new Set(touched.map((row) => row.id))
  const byRecord = Map.groupBy(
    links.filter((link) => ids.has(link.record_id)),
    (link) => link.record_id,
  )
  const entries = [...byRecord].map(([record_id, own]) => {
    const byRelation = [...Map.groupBy(own, (link) => link.relation)]
    const changes = byRelation.map(([relation, some]) => changeOf(linkKey(registry[type], relation), some))
    return movedEntry(type, { record_id, at }, changes)
  })
  await finishWrite(inside, type, { entries })
}

/** What a merge moved to its winner and what was not moved elsewhere since. */
type MovingBack = {
  merge: Merge
  references: Moving['references']
  /** The records, live or deleted, whose links to the losers were moved. */
  linking: { type: ResourceName; ids: string[] }[]
}

/** Locks what moves back, and the merge itself last: a purge locks only the merge. */
export function lockMovingBack(
  inside: Scope,
  resource: Resource,
  findMerge: () => Promise<Merge>,
): Promise<MovingBack> {
  const read = async () => readMovingBack(inside, resource, await findMerge())
  return lockWhatIsRead(inside, read, ({ merge, references, linking }) => ({
    rows: [
      ...references.map(lockOf),
      ...linking.map(({ type, ids }): RowLock => ({ table: type, ids, mode: 'change' })),
      { table: 'merges', ids: [merge.id], mode: 'alone' },
    ],
  }))
}

async function readMovingBack(inside: Scope, resource: Resource, merge: Merge): Promise<MovingBack> {
  const { id: merge_id, winner_id } = merge
  const references = await loadColumns(resource, ({ referring, column }) =>
    loadMoved(inside, { merge_id, resource: referring, column, winner_id }),
  )
  const linking: MovingBack['linking'] = []
  for (const { type, links } of resources) {
    if (!Object.values(links).some(({ to }) => to === resource.type)) continue
    linking.push({ type, ids: await loadMovedIds(inside, merge_id, type) })
  }
  return { merge, references, linking }
}

/** Makes everything that the merge moved refer to the losers again. */
export async function moveFromWinner(inside: Scope, { merge, references, linking }: MovingBack): Promise<void> {
  const { id: merge_id, winner_id } = merge
  for (const { referring, column, rows } of references) {
    if (rows.length === 0) continue
    const at = momentAfter(inside, rows)
    await moveBack(inside, { merge_id, resource: referring, column, winner_id }, at)
    await finishReferences(inside, referring, { rows, at, changeOf: ({ from_id }) => [column, winner_id, from_id] })
  }
  for (const { type } of linking) {
    const links = await loadMovedLinks(inside, merge_id, type)
    // The links to the losers are readable again. One to the winner only goes if the merge added it.
    const changeOf = (key: string, own: readonly MovedLink[]): Change => {
      return [key, own.some((link) => link.added === 1) ? [winner_id] : [], losersIn(own)]
    }
    await finishLinks(inside, type, { merge_id, winner_id, links, held: true, changeOf })
    await unlinkWinner(inside, merge_id, { type, winnerId: winner_id })
  }
}
