import { momentOf } from '@kith/contract/id'
import { refuseValue } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { findChangeById, loadFeedHead } from '../storage/tables/changes.ts'
import type { Entry } from './entry.ts'
import { findBefore, firstAtOrAfter, LOOKED_THROUGH, TOLERANCE_MS } from './position.ts'
import { readAt } from './read-part.ts'

type WantedRange = { from_sequence: number; to_sequence: number } | { since: string; until: string }

/** The numbers around a range of changes: after the first, up to the second. What is no longer there is refused. */
export async function findRange(inside: Scope, wanted: WantedRange): Promise<{ after: number; until: number }> {
  await inside.engine.numberChanges(inside.workspace.id)
  const head = await loadFeedHead(inside)
  if ('from_sequence' in wanted) {
    const { from_sequence, to_sequence } = wanted
    if (from_sequence <= head.pruned) {
      refuseValue('from_sequence', `Changes before ${head.pruned + 1} are no longer in the feed. Begin there or later.`)
    }
    return { after: Math.min(from_sequence - 1, head.sequence), until: Math.min(to_sequence, head.sequence) }
  }
  const { since, until } = wanted
  if (head.complete_from !== null && since < head.complete_from) {
    refuseValue('since', `Changes before ${head.complete_from} are no longer in the feed. Begin there or later.`)
  }
  const after = await firstAtOrAfter(inside, since, head)
  // Changes are not quite in the order of their times.
  const late = new Date(Date.parse(until) + TOLERANCE_MS).toISOString()
  return { after, until: Math.max(after, await firstAtOrAfter(inside, late, head)) }
}

/** The change with an id, if it is in the feed. The id begins with the time of the write. */
export async function findEntry(inside: Scope, id: string): Promise<Entry[]> {
  await inside.engine.numberChanges(inside.workspace.id)
  const head = await loadFeedHead(inside)
  const time = Date.parse(momentOf(id))
  const [early, late] = [time - TOLERANCE_MS, time + TOLERANCE_MS].map((ms) => new Date(ms).toISOString())
  const end = await findBefore(inside, late ?? '', head)
  for (let after = await findBefore(inside, early ?? '', head); after <= end; after += LOOKED_THROUGH) {
    const sequence = await findChangeById(inside, { after, until: after + LOOKED_THROUGH }, id)
    if (sequence !== undefined) return readAt(inside, [sequence])
  }
  return []
}
