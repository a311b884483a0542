import type { Definitions } from '@kith/contract/field-definition'
import { nameOfMatch } from '@kith/contract/match'
import { claimedBy } from '../records/write-set.ts'
import { lidsIn } from './lids.ts'
import type { Lids, Operation } from './operation.ts'
import { type Prepared, prepare } from './prepare.ts'

/** The most claims of a set. A statement has a limited number of values. */
const CLAIMS_MAX = 5000

/**
 * The next operations that can run together: of one kind and resource, naming different records, claiming different
 * values, and without the name of a record that one of them makes. Upserts also match by the same field.
 */
export function nextSet(
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
  const { claims, ids } = claimedBy(write)
  return new Set([
    ...(write.op === 'update' ? [write.id] : []),
    ...claims.map(({ field, key }) => `${field.id} ${key}`),
    ...ids.map(({ namespace, external_id }) => `${namespace} ${external_id}`),
  ])
}

function matchOf(prepared: Prepared): string | undefined {
  if (!('write' in prepared) || prepared.write.op !== 'upsert') return undefined
  const { match } = prepared.write
  return match && nameOfMatch(match)
}
