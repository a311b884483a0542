import type { Definitions } from '@kith/contract/field-definition'
import { nameOfMatch } from '@kith/contract/match'
import { registry } from '@kith/contract/registry'
import { presentSync } from '../changes/sync-form.ts'
import { lockClaims } from '../records/check-input.ts'
import { removeSet } from '../records/trash/remove.ts'
import { claimedBy, writeSet } from '../records/write-set.ts'
import { writing } from '../records/writing.ts'
import type { Scope } from '../scope/scope.ts'
import { lockRows, type RowLock } from '../storage/tables/lock-rows.ts'
import { loadSyncRows } from '../storage/tables/sync-rows.ts'
import { type Lids, lidsIn, noteLids, type Operation, type Outcome, type Prepared, prepare } from './operation.ts'

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

/** The most claims of a set. A statement has a limited number of values. */
const CLAIMS_MAX = 5000

/**
 * The next operations that can run together: of one kind and resource, naming different records, claiming different
 * values, and without the name of a record that one of them makes. Upserts also match by the same field.
 */
function nextSet(
  operations: readonly Operation[],
  { definitions, lids }: { definitions: Definitions; lids: Lids },
): Prepared[] {
  const [first] = operations
  const set: Prepared[] = []
  const taken = new Set<string>()
  const named = new Set<string>()
  let match: string | undefined
  for (const operation of operations) {
    if (operation.op !== first?.op || operation.resource !== first.resource) break
    if (set.length > 0 && !lidsIn(operation).isDisjointFrom(named)) break
    const prepared = prepare(operation, { definitions, lids })
    const own = namesOf(prepared)
    const by = matchOf(prepared)
    if (match !== undefined && by !== undefined && by !== match) break
    if (!taken.isDisjointFrom(own) || (set.length > 0 && taken.size + own.size > CLAIMS_MAX)) break
    match ??= by
    for (const name of own) taken.add(name)
    if (operation.lid !== undefined) named.add(operation.lid)
    set.push(prepared)
  }
  return set
}

/** What only one operation of a set may name: a record by its id, a value of a unique field, an external id. */
function namesOf(prepared: Prepared): Set<string> {
  if ('refused' in prepared) return new Set()
  if ('removal' in prepared) return new Set([prepared.removal.id])
  const { write } = prepared
  const { claims, externalIds } = claimedBy(write)
  return new Set([
    ...(write.op === 'update' ? [write.id] : []),
    ...claims.map(({ field, key }) => `${field.id} ${key}`),
    ...externalIds.map(({ namespace, external_id }) => `${namespace} ${external_id}`),
  ])
}

function matchOf(prepared: Prepared): string | undefined {
  if (!('write' in prepared) || prepared.write.op !== 'upsert') return undefined
  const { match } = prepared.write
  return match && nameOfMatch(match)
}

/**
 * Locks what is known of operations before the first one runs, in the lock order: they lock it again in their own
 * order, and two batches would wait for each other. What is left, such as the holder of a value, is retried.
 */
async function lockAhead(
  inside: Scope,
  operations: readonly Operation[],
  known: { definitions: Definitions; lids: Lids },
): Promise<void> {
  if (!inside.engine.concurrentWrites) return
  const prepared = operations.map((operation) => prepare(operation, known))
  const claimed = prepared.flatMap((one) => ('write' in one ? [claimedBy(one.write)] : []))
  await lockClaims(inside, claimed)
  const rows = prepared.flatMap((one, index): RowLock[] => {
    const table = operations[index]?.resource
    if (table === undefined) return []
    if ('removal' in one) return [{ table, ids: [one.removal.id], mode: 'alone' }]
    return 'write' in one && one.write.op === 'update' ? [{ table, ids: [one.write.id], mode: 'change' }] : []
  })
  await lockRows(inside, rows)
}
