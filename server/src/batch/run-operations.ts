import { type Match, nameOfMatch } from '@kith/contract/match'
import type { RefusalReason } from '@kith/contract/refusal'
import type { Resource, ResourceName, Schema } from '@kith/contract/resource'
import { presentSync } from '../changes/present-changes.ts'
import { lockClaims, namesOfClaims } from '../records/check-input.ts'
import { finderOf } from '../records/lookups.ts'
import { presentRecord, type ResourceObject, requireSame } from '../records/present.ts'
import { type Removal, removeLocked } from '../records/trash/restore.ts'
import { claimedBy, writeSet } from '../records/write-set.ts'
import { keyOf, lockWhatIsRead, notOneHolder, writing } from '../records/write-targets.ts'
import { requireResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { loadSyncRows } from '../storage/query/sync-rows.ts'
import { lockRows, type RowLock } from '../storage/tables/links.ts'
import {
  type Lids,
  lidsIn,
  type MatchedRemoval,
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
  const written = done.flatMap((outcome) => ('row' in outcome ? [outcome.row] : []))
  const ids = written.map(({ id }) => id)
  const rows = await loadSyncRows(inside, resource, ids)
  const records = await presentSync(inside, resource, { rows, fields: new Map() })
  const byId = new Map(records.map((record) => [record.id, record]))
  const columns = Object.entries(resource.references).flatMap(([name, { to }]) => (to === 'users' ? [] : [name]))
  // The sync form still shows members who have left.
  const referring = (record: ResourceObject | undefined) =>
    ['custom_fields', ...columns].map((name) => record?.attributes[name])
  requireSame(
    ids.map((id) => referring(byId.get(id))),
    written.map((row) => referring(presentRecord(row, resource, { fields: new Map() }))),
  )
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
  const removed = await removeAll(
    inside,
    resource,
    set.flatMap((one) => ('removal' in one ? [one.removal] : [])),
  )
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

/** Deletes records. Stops before a value that one of them holds. */
async function removeAll(
  inside: Scope,
  resource: Resource,
  all: readonly (Removal | MatchedRemoval)[],
): Promise<Outcome[]> {
  const holdersOf = await lockMatched(inside, resource, all)
  const seen = new Set<string>()
  const named: (Removal | { refused: RefusalReason })[] = []
  for (const one of all) {
    const holders = holdersOf(one)
    if (holders.some((id) => seen.has(id))) break
    const refused = 'match' in one ? notOneHolder(resource, one.match, holders) : undefined
    const [id = ''] = holders
    named.push(refused ? { refused } : { sent_id: id, ...one, id })
    if (!refused) seen.add(id)
  }
  const removals = named.flatMap((one) => ('id' in one ? [one] : []))
  const done = (removals.length === 0 ? [] : await removeLocked(inside, resource, removals)).values()
  return named.map((one) => {
    if ('refused' in one) return one
    const removed = done.next().value
    if (!removed) throw new Error('A deletion has no outcome.')
    return 'refused' in removed ? removed : { removed: one.id, change_id: removed.change_id }
  })
}

/** Locks the records of deletions. Returns those that each names: several if more than one holds its value. */
async function lockMatched(
  inside: Scope,
  resource: Resource,
  all: readonly (Removal | MatchedRemoval)[],
): Promise<(removal: Removal | MatchedRemoval) => readonly string[]> {
  const lookups = new Map<Removal | MatchedRemoval, { to: ResourceName; by: { match: Match } }>()
  for (const one of all) if ('match' in one) lookups.set(one, { to: resource.type, by: { match: one.match } })
  const read = async () => {
    const idsOf = await finderOf(inside, [...lookups.values()])
    return (one: Removal | MatchedRemoval) => {
      const lookup = lookups.get(one)
      if (lookup) return idsOf(lookup)
      return 'id' in one ? [one.id] : []
    }
  }
  return lockWhatIsRead(inside, read, (holdersOf) => {
    const ids = all.flatMap((one) => (holdersOf(one).length === 1 ? holdersOf(one) : []))
    return { rows: [{ of: resource.number, ids, mode: 'alone' }] }
  })
}

/** The maximum of claims in a set, because the number of parameters of a statement is limited. */
const CLAIMS_MAX = 5000

/**
 * The next operations that can run together: of one kind and resource, for different records, with different unique
 * values, and without the lid of a record that one of them creates. All find their records by id, or all by one field.
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
    const by = foundBy(prepared)
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
  if ('removal' in prepared) {
    const { removal } = prepared
    return 'match' in removal ? [keyOf(removal.match)] : [removal.id]
  }
  const { write } = prepared
  const claims = write.input ? namesOfClaims(write.input.resource, claimedBy(write)) : []
  return 'id' in write ? [write.id, ...claims] : claims
}

/** The field or namespace by which an operation finds its record. Empty without one. */
function foundBy(prepared: PreparedOperation): string | undefined {
  if ('refused' in prepared) return undefined
  const named = 'write' in prepared ? prepared.write : prepared.removal
  if (!('match' in named)) return ''
  return named.match && nameOfMatch(named.match)
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
    if ('removal' in one && 'id' in one.removal) return [{ of, ids: [one.removal.id], mode: 'alone' }]
    return 'write' in one && 'id' in one.write ? [{ of, ids: [one.write.id], mode: 'change' }] : []
  })
  await lockRows(inside, rows)
}
