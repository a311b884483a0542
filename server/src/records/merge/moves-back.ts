import { resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import {
  loadMoved,
  loadMovedIds,
  loadMovedLinks,
  type MovedLink,
  moveBack,
  unlinkWinner,
} from '../../storage/tables/merge-moves.ts'
import type { Merge } from '../../storage/tables/merges.ts'
import { lockWhatIsRead } from '../lock-what-is-read.ts'
import { momentAfter } from '../moment-after.ts'
import { finishLinks, finishReferences, loadColumns, lockOf, losersIn, type Moving } from './moves.ts'

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
    claims: [],
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
