import { nameOfMatch } from '@kith/contract/match'
import type { Schema } from '@kith/contract/resource'
import { presentSync } from '../changes/present-changes.ts'
import { lockClaims, namesOfClaims } from '../records/check-input.ts'
import { removeSet } from '../records/trash/restore.ts'
import { claimedBy, writeSet } from '../records/write-set.ts'
import { writing } from '../records/write-targets.ts'
import { requireResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { loadSyncRows } from '../storage/query/sync-rows.ts'
import { lockRows, type RowLock } from '../storage/tables/links.ts'
import {
  type Lids,
  lidsIn,
  noteLids,
  type Operation,
  type Outcome,
  type PreparedOperation,
  prepare,
} from './operation.ts'

/**
 * Runs operations in their order, in one transaction. Each has the outcome of the single request; a refused operation
 * writes nothing. Operations that do not depend on each other run as a set. Any other error rolls back all operations.
 */
export function runOperations(
  scope: Scope,
  operations: readonly Operation[],
  {
    named = new Map(),
    shows = false,
  }: {
    /** The record ids of the lids of earlier operations. */
    named?: ReadonlyMap<string, string | null>
    /** Whether the outcomes contain the records as each operation leaves them. */
    shows?: boolean
  } = {},
): Promise<Outcome[]> {
  return writing(scope, async (inside) => {
    // A copy, because the transaction may restart.
    const lids: Lids = new Map(named)
    const outcomes: Outcome[] = []
    while (outcomes.length < operations.length) {
      const left = operations.slice(outcomes.length)
      const set = nextSet(left, { schema: inside.schema, lids })
      if (outcomes.length === 0 && set.length < left.length) await lockAhead(inside, left, lids)
      const done = await runSet(inside, left, set)
      noteLids(lids, left, done)
      outcomes.push(...(shows ? await showing(inside, left, done) : done))
    }
    return outcomes
  })
}

/** Adds the records in the sync form to the outcomes of a set. A record is in a set at most once. */
async function showing(inside: Scope, [first]: readonly Operation[], done: readonly Outcome[]): Promise<Outcome[]> {
  if (!first) return []
  const resource = requireResource(inside.schema, first.resource)
  const ids = done.flatMap((outcome) => ('row' in outcome ? [outcome.row.id] : []))
  const rows = await loadSyncRows(inside, resource, ids)
  const records = await presentSync(inside, resource, { rows, fields: new Map() })
  const byId = new Map(records.map((record) => [record.id, record]))
  return done.map((outcome) => ('row' in outcome ? { ...outcome, shown: byId.get(outcome.row.id) } : outcome))
}

/** Runs a set, or only its first operations if a later one depends on them. */
async function runSet(
  inside: Scope,
  [first]: readonly Operation[],
  set: readonly PreparedOperation[],
): Promise<Outcome[]> {
  if (!first) throw new Error('There is no operation to carry out.')
  const resource = requireResource(inside.schema, first.resource)
  const writes = set.flatMap((one) => ('write' in one ? [one.write] : []))
  const removals = set.flatMap((one) => ('removal' in one ? [one.removal] : []))
  const refusals = removals.length === 0 ? [] : await removeSet(inside, resource, removals)
  const removed = removals.map(({ id }, index): Outcome => {
    const refused = refusals[index]
    return refused ? { refused } : { removed: id }
  })
  const written: Outcome[] = writes.length === 0 ? [] : await writeSet(inside, resource, writes)
  const done = [...removed, ...written].values()
  // Operations that were refused before they ran keep their places.
  const outcomes: Outcome[] = []
  for (const one of set) {
    const outcome = 'refused' in one ? one : done.next().value
    if (!outcome) break
    outcomes.push(outcome)
  }
  return outcomes
}

/** The maximum of claims in a set, because the number of parameters of a statement is limited. */
const CLAIMS_MAX = 5000

/**
 * The next operations that can run together: of one kind and resource, for different records, with different unique
 * values, and without the lid of a record that one of them creates. Upserts also match by the same field.
 */
function nextSet(
  operations: readonly Operation[],
  { schema, lids }: { schema: Schema; lids: Lids },
): PreparedOperation[] {
  const [first] = operations
  const set: PreparedOperation[] = []
  const taken = new Set<string>()
  const named = new Set<string>()
  let match: string | undefined
  for (const operation of operations) {
    if (operation.op !== first?.op || operation.resource !== first.resource) break
    if (named.size > 0 && !lidsIn(operation).isDisjointFrom(named)) break
    const prepared = prepare(operation, { schema, lids })
    const own = namesOf(prepared)
    const by = matchOf(prepared)
    if (match !== undefined && by !== undefined && by !== match) break
    if (own.some((name) => taken.has(name)) || (set.length > 0 && taken.size + own.length > CLAIMS_MAX)) break
    match ??= by
    for (const name of own) taken.add(name)
    if (operation.lid !== undefined) named.add(operation.lid)
    set.push(prepared)
  }
  return set
}

/**
 * The keys that only one operation of a set may have: the id of a record, a value of a unique field, an external id.
 */
function namesOf(prepared: PreparedOperation): string[] {
  if ('refused' in prepared) return []
  if ('removal' in prepared) return [prepared.removal.id]
  const { write } = prepared
  const claims = write.input ? namesOfClaims(write.input.resource, claimedBy(write)) : []
  return write.op === 'update' ? [write.id, ...claims] : claims
}

function matchOf(prepared: PreparedOperation): string | undefined {
  if (!('write' in prepared) || prepared.write.op !== 'upsert') return undefined
  const { match } = prepared.write
  return match && nameOfMatch(match)
}

/**
 * Takes all locks that are known before the first operation runs, in the lock order. Operations lock in their own
 * order, so two batches could deadlock. Locks that are not known yet, such as the holder of a value, can still conflict
 * and cause a retry.
 */
async function lockAhead(inside: Scope, operations: readonly Operation[], lids: Lids): Promise<void> {
  if (!inside.engine.concurrentWrites) return
  const prepared = operations.map((operation) => prepare(operation, { schema: inside.schema, lids }))
  const claimed = prepared.flatMap((one) => ('write' in one ? [claimedBy(one.write)] : []))
  await lockClaims(inside, claimed)
  const rows = prepared.flatMap((one, index): RowLock[] => {
    const operation = operations[index]
    if (!operation) return []
    const of = requireResource(inside.schema, operation.resource).number
    if ('removal' in one) return [{ of, ids: [one.removal.id], mode: 'alone' }]
    return 'write' in one && one.write.op === 'update' ? [{ of, ids: [one.write.id], mode: 'change' }] : []
  })
  await lockRows(inside, rows)
}
