import { excerpt } from '@kith/contract/excerpt'
import { MATCHES_MAX } from '@kith/contract/limits'
import { matchKeyOf } from '@kith/contract/match-key'
import type { Resource } from '@kith/contract/resource'
import { definitionsOf } from '../../fields/definitions.ts'
import type { Scope } from '../../scope/scope.ts'
import { findIdsHolding } from '../../storage/tables/match-ids.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'

const EXTERNAL = 'external_ids.'

/** Gives updates by a value the id of the record that holds it. Unlike an upsert, an update needs no name. */
export async function findMatches(
  inside: Scope,
  resource: Resource,
  entries: readonly RowEntry[],
): Promise<RowEntry[]> {
  const field = entries.map(matchField).find((name) => name !== undefined)
  if (field === undefined) return [...entries]
  const definitions = await definitionsOf(inside)
  const found = definitions[resource.type].byCode.get(field)
  const keyOf = (value: unknown): string => (found ? matchKeyOf(found, String(value)) : String(value).trim()) ?? ''
  const values = entries.flatMap((entry) => (isByValue(entry) ? [keyOf(entry.operation.match?.value)] : []))
  const by = found ? { field_id: found.id } : { namespace: field.slice(EXTERNAL.length) }
  const holders = await findIdsHolding(inside, resource, { ...by, values })
  return entries.map((entry) => {
    if (!isByValue(entry)) return entry
    const { row, source, operation } = entry
    const ids = holders.get(keyOf(operation.match?.value)) ?? []
    const [id, other] = ids
    if (id === undefined || other !== undefined) return { row, source, failure: notOne(resource, operation.match, ids) }
    return { row, source, operation: { op: 'update', id, data: operation.data } }
  })
}

type Found = Extract<RowEntry, { operation: unknown }>

function isByValue(entry: RowEntry): entry is Found {
  return 'operation' in entry && entry.operation.op === 'update' && entry.operation.match !== undefined
}

function matchField(entry: RowEntry): string | undefined {
  return isByValue(entry) ? entry.operation.match?.field : undefined
}

function notOne(resource: Resource, match: Found['operation']['match'], ids: readonly string[]): RowFailure {
  const value = `the ${match?.field} value ${excerpt(String(match?.value))}`
  const message =
    ids.length === 0
      ? `No ${resource.one} holds ${value}.`
      : `More than one ${resource.one} holds ${value}: ${ids.slice(0, MATCHES_MAX).join(', ')}. Merge the duplicates.`
  return { message, errors: { [match?.field ?? 'match']: [message] } }
}
