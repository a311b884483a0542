import { type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { insertLinks, type RowLock } from '../../storage/tables/links.ts'
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
  type ReferringRow,
  replaceReferences,
  stayWithWinners,
  touchLinked,
  unlinkWinner,
} from '../../storage/tables/merges.ts'
import { linkKey, momentAfter } from '../changes.ts'
import { finishWrite, movedEntry } from '../store.ts'
import { lockWhatIsRead } from '../write-targets.ts'
import {
  loadValues,
  loadValuesBack,
  lockOfValues,
  type MovedBack,
  moveValues,
  moveValuesBack,
  type ReferringValues,
} from './moved-values.ts'

/** `cause` is the change of the first loser. */
type MergeIds = { merge_id: string; winner_id: string; loser_ids: readonly string[]; cause: string }

/** A column by which records of a resource refer to the merged ones. */
type ReferringColumn = { referring: Resource; column: string }

/** The references and links to the losers of a merge, from live and deleted records. */
export type MovedReferences = {
  references: (ReferringColumn & { rows: ReferringRow[] })[]
  values: ReferringValues[]
  links: LinkRow[]
}

/**
 * Locks all records that refer or link to the losers. The losers are already locked, so no new references can appear.
 */
export function lockMoving(
  inside: Scope,
  resource: Resource,
  merging: Pick<MergeIds, 'winner_id' | 'loser_ids'>,
): Promise<MovedReferences> {
  const read = async () => ({
    references: await loadColumns(resource, ({ referring, column }) =>
      loadReferring(inside, { resource: referring, column, ids: merging.loser_ids }),
    ),
    values: await loadValues(inside, resource, {
      ids: merging.loser_ids,
      except: [merging.winner_id, ...merging.loser_ids],
    }),
    links: await loadLinksTo(inside, merging.loser_ids, merging.winner_id),
  })
  return lockWhatIsRead(inside, read, ({ references, values, links }) => ({
    rows: [
      ...references.map(lockOf),
      ...values.map(lockOfValues),
      ...links.map(
        ({ from_type, from_id }): RowLock => ({
          of: resourceIn(inside.schema, from_type).number,
          ids: [from_id],
          mode: 'change',
        }),
      ),
    ],
  }))
}

/** The rows that refer to the merged records, for each column that can. */
async function loadColumns(resource: Resource, load: (column: ReferringColumn) => Promise<ReferringRow[]>) {
  const loaded: MovedReferences['references'] = []
  for (const referring of resource.schema.values()) {
    for (const [column, { to }] of Object.entries(referring.references)) {
      if (to === resource.type) loaded.push({ referring, column, rows: await load({ referring, column }) })
    }
  }
  return loaded
}

function lockOf({ referring, rows }: MovedReferences['references'][number]): RowLock {
  return { of: referring.number, ids: rows.map((row) => row.id), mode: 'change' }
}

/** Moves all references and links from the losers to the winner, with a few statements per column. */
export async function moveToWinner(
  inside: Scope,
  resource: Resource,
  { references, values, links }: MovedReferences,
  merging: MergeIds,
): Promise<void> {
  for (const one of references) await moveReferences(inside, one, merging)
  for (const one of values) await moveValues(inside, resource, one, merging)
  await moveLinks(inside, links, merging)
}

async function moveReferences(
  inside: Scope,
  { referring, column, rows }: MovedReferences['references'][number],
  { merge_id, winner_id, loser_ids, cause }: MergeIds,
): Promise<void> {
  if (rows.length === 0) return
  const moves = rows.map(({ id, from_id }): Move => {
    return { resource: referring.type, relation: column, record_id: id, from_id, added: 1 }
  })
  await stayWithWinners(inside, { type: referring.type, column, ids: rows.map(({ id }) => id), to: [winner_id] })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfter(inside, rows)
  await replaceReferences(inside, { resource: referring, column, ids: loser_ids }, { by: winner_id, at })
  await finishReferences(inside, referring, {
    rows,
    at,
    cause,
    changeOf: ({ from_id }) => [column, from_id, winner_id],
  })
}

/** Completes a move of references: an entry for each live record. `cause` is the change that moved them. */
export async function finishReferences(
  inside: Scope,
  { type }: Resource,
  moved: {
    rows: readonly ReferringRow[]
    at: string
    cause: string | undefined
    changeOf: (row: ReferringRow) => Change
  },
): Promise<void> {
  const { at, cause } = moved
  const live = moved.rows.filter((row) => row.deleted_at === null)
  const entries = live.map((row) => movedEntry(type, { record_id: row.id, at, cause }, [moved.changeOf(row)]))
  await finishWrite(inside, type, { entries })
}

/** The links to the losers stay, hidden, for a later undo. */
async function moveLinks(
  inside: Scope,
  rows: readonly LinkRow[],
  { merge_id, winner_id, cause }: MergeIds,
): Promise<void> {
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
    await finishLinks(inside, type, { merge_id, winner_id, links, held: false, cause, changeOf })
  }
}

function losersIn(links: readonly MovedLink[]): string[] {
  return links.map((link) => link.from_id)
}

/**
 * Completes a move of links: a new time and an audit entry for each live record that the merge linked to its winner.
 */
async function finishLinks(
  inside: Scope,
  type: ResourceName,
  moved: {
    merge_id: string
    winner_id: string
    links: readonly MovedLink[]
    /** Whether to include records that were already linked to the winner. */
    held: boolean
    cause: string | undefined
    /** The change of an attribute, including its links to losers. */
    changeOf: (key: string, links: readonly MovedLink[]) => Change
  },
): Promise<void> {
  const { merge_id, winner_id, links, held, cause, changeOf } = moved
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
    const changes = byRelation.map(([relation, some]) =>
      changeOf(linkKey(resourceIn(inside.schema, type), relation), some),
    )
    return movedEntry(type, { record_id, at, cause }, changes)
  })
  await finishWrite(inside, type, { entries })
}

/** The references and links that a merge moved to its winner and that were not moved elsewhere since. */
type MovingBack = {
  merge: Merge
  references: MovedReferences['references']
  values: MovedBack[]
  /** The records, live or deleted, whose links to the losers were moved. */
  linking: { type: ResourceName; ids: string[] }[]
}

/** Locks the records that move back, and the merge itself last: expiry locks only the merge. */
export function lockMovingBack(
  inside: Scope,
  resource: Resource,
  findMerge: () => Promise<Merge>,
): Promise<MovingBack> {
  const read = async () => readMovingBack(inside, resource, await findMerge())
  return lockWhatIsRead(inside, read, ({ merge, references, values, linking }) => ({
    rows: [
      ...references.map(lockOf),
      ...values.map(lockOfValues),
      ...linking.map(({ type, ids }): RowLock => ({ of: resourceIn(inside.schema, type).number, ids, mode: 'change' })),
      { of: 'merges', ids: [merge.id], mode: 'alone' },
    ],
  }))
}

async function readMovingBack(inside: Scope, resource: Resource, merge: Merge): Promise<MovingBack> {
  const { id: merge_id, winner_id } = merge
  const references = await loadColumns(resource, ({ referring, column }) =>
    loadMoved(inside, { merge_id, resource: referring, column, winner_id }),
  )
  const linking: MovingBack['linking'] = []
  for (const { type, links } of inside.schema.values()) {
    if (!Object.values(links).some(({ to }) => to === resource.type)) continue
    linking.push({ type, ids: await loadMovedIds(inside, merge_id, type) })
  }
  return { merge, references, values: await loadValuesBack(inside, resource, merge), linking }
}

/** Moves all references and links of the merge back to the losers. `cause` is the change of the first of them. */
export async function moveFromWinner(
  inside: Scope,
  { merge, references, values, linking }: MovingBack,
  cause: string | undefined,
): Promise<void> {
  const { id: merge_id, winner_id, loser_ids } = merge
  for (const { referring, column, rows } of references) {
    if (rows.length === 0) continue
    const at = momentAfter(inside, rows)
    await moveBack(inside, { merge_id, resource: referring, column, winner_id }, at)
    await finishReferences(inside, referring, {
      rows,
      at,
      cause,
      changeOf: ({ from_id }) => [column, winner_id, from_id],
    })
  }
  for (const one of values) await moveValuesBack(inside, one, { winner_id, loser_ids, cause })
  for (const { type } of linking) {
    const links = await loadMovedLinks(inside, merge_id, type)
    // The links to the losers become visible again. A link to the winner is removed only if the merge added it.
    const changeOf = (key: string, own: readonly MovedLink[]): Change => {
      return [key, own.some((link) => link.added === 1) ? [winner_id] : [], losersIn(own)]
    }
    await finishLinks(inside, type, { merge_id, winner_id, links, held: true, cause, changeOf })
    await unlinkWinner(inside, merge_id, { type, winnerId: winner_id })
  }
}
