import type { Definitions } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { presentSync } from '../changes/sync-form.ts'
import { removeSet } from '../records/trash/remove.ts'
import { writeSet } from '../records/write-set.ts'
import { writing } from '../records/writing.ts'
import type { Scope } from '../scope/scope.ts'
import { loadSyncRows } from '../storage/tables/sync-rows.ts'
import { noteLids } from './lids.ts'
import { lockAhead } from './lock-ahead.ts'
import { nextSet } from './next-set.ts'
import type { Lids, Operation, Outcome } from './operation.ts'
import type { Prepared } from './prepare.ts'

type Options = {
  /** The records that earlier operations have named. */
  named?: ReadonlyMap<string, string | null>
  /** Whether the outcomes show the records as each operation leaves them. */
  shows?: boolean
}

/**
 * Carries out operations in their order, in one transaction. Each has the outcome of the single request; a refused one
 * leaves nothing behind. Operations that do not depend on each other run as a set. Any other error rolls all of them
 * back.
 */
export function runOperations(
  scope: Scope,
  operations: readonly Operation[],
  { named = new Map(), shows = false }: Options = {},
): Promise<Outcome[]> {
  return writing(scope, async (inside, definitions) => {
    // Its own: the transaction may begin again.
    const lids: Lids = new Map(named)
    const outcomes: Outcome[] = []
    while (outcomes.length < operations.length) {
      const left = operations.slice(outcomes.length)
      const set = nextSet(left, { definitions, lids })
      if (outcomes.length === 0 && set.length < left.length) await lockAhead(inside, left, { definitions, lids })
      const done = await runSet(inside, left, { definitions, set })
      noteLids(lids, left, done)
      outcomes.push(...(shows ? await showing(inside, left, { definitions, done }) : done))
    }
    return outcomes
  })
}

type Done = { definitions: Definitions; done: readonly Outcome[] }

/** The outcomes of a set with the records in the sync form: no record is in a set twice. */
async function showing(inside: Scope, [first]: readonly Operation[], { definitions, done }: Done): Promise<Outcome[]> {
  if (!first) return []
  const resource = registry[first.resource]
  const ids = done.flatMap((outcome) => ('row' in outcome ? [outcome.row.id] : []))
  const rows = await loadSyncRows(inside, resource, ids)
  const records = await presentSync(inside, resource, { rows, definitions, fields: new Map() })
  const byId = new Map(records.map((record) => [record.id, record]))
  return done.map((outcome) => ('row' in outcome ? { ...outcome, shown: byId.get(outcome.row.id) } : outcome))
}

/** Carries out a set, or its first operations if a later one depends on them. */
async function runSet(
  inside: Scope,
  [first]: readonly Operation[],
  { definitions, set }: { definitions: Definitions; set: readonly Prepared[] },
): Promise<Outcome[]> {
  if (!first) throw new Error('There is no operation to carry out.')
  const resource = registry[first.resource]
  const writes = set.flatMap((one) => ('write' in one ? [one.write] : []))
  const removals = set.flatMap((one) => ('removal' in one ? [one.removal] : []))
  const refusals = removals.length === 0 ? [] : await removeSet(inside, resource, { definitions, removals })
  const removed = removals.map(({ id }, index): Outcome => {
    const refused = refusals[index]
    return refused ? { refused } : { removed: id }
  })
  const written: Outcome[] = writes.length === 0 ? [] : await writeSet(inside, resource, { definitions, writes })
  const done = [...removed, ...written].values()
  // Those that are refused without being run keep their places.
  const outcomes: Outcome[] = []
  for (const one of set) {
    const outcome = 'refused' in one ? one : done.next().value
    if (!outcome) break
    outcomes.push(outcome)
  }
  return outcomes
}
