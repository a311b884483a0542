import { excerpt } from '@kith/contract/excerpt'
import type { Outcome } from '@kith/contract/jobs'
import { MATCHES_MAX } from '@kith/contract/limits'
import { matchKeyOf } from '@kith/contract/match-key'
import type { RefusalReason } from '@kith/contract/refusal'
import { errorsByPath } from '@kith/contract/refusal-details'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Operation } from '../../batch/operation.ts'
import { fullMessage } from '../../batch/run-batch.ts'
import { runOperations } from '../../batch/run-operations.ts'
import { definitionsOf } from '../../fields/definitions.ts'
import type { Changing } from '../../records/changes.ts'
import type { Scope } from '../../scope/scope.ts'
import { findIdsHolding } from '../../storage/tables/holders.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'

/** What became of a row. */
export type DoneRow = { entry: RowEntry } & ({ failure: RowFailure } | { written: Written })
type Written = Exclude<Applied, { refused: unknown }>

/** Writes rows in their order, in one transaction. */
export async function writeEntries(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<DoneRow[]> {
  const found = await findMatches(inside, registry[job.resource], entries)
  const operations = found.flatMap((entry) =>
    'operation' in entry ? [{ ...entry.operation, resource: job.resource }] : [],
  )
  const applied = await applyAll(inside, operations)
  let next = 0
  return found.map((entry): DoneRow => {
    if ('failure' in entry) return { entry, failure: entry.failure }
    const outcome = applied[next++]
    if (!outcome) throw new Error('A row has no outcome.')
    return 'refused' in outcome ? { entry, failure: failureOf(outcome.refused) } : { entry, written: outcome }
  })
}

export function outcomeOf({ created, changing }: Written): Outcome {
  if (created) return 'created'
  return changing ? 'updated' : 'unchanged'
}

/** What a refusal says, as in the response to a single request. Results have no place for ids of other records. */
export function failureOf(reason: RefusalReason): RowFailure {
  const errors = reason.kind === 'invalid' ? errorsByPath(reason.issues) : null
  return { message: fullMessage(reason), errors }
}

const EXTERNAL = 'external_ids.'

/** Gives updates by a value the id of the record that holds it. Unlike an upsert, an update needs no name. */
async function findMatches(inside: Scope, resource: Resource, entries: readonly RowEntry[]): Promise<RowEntry[]> {
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

/** What became of an operation of a job. `changing` has what it changed of a record that was there before. */
export type Applied =
  | { refused: RefusalReason }
  | { id: string; updated_at: string | null; created: boolean; changing?: Changing | undefined }

/** Carries out the operations of a step in its transaction. */
export async function applyAll(inside: Scope, operations: readonly Operation[]): Promise<Applied[]> {
  const outcomes = await runOperations(inside, operations)
  return outcomes.map((outcome) => {
    if ('refused' in outcome) return outcome
    if ('removed' in outcome) return { id: outcome.removed, updated_at: null, created: false }
    const { row, created, changing } = outcome
    return { id: row.id, updated_at: row.updated_at, created, changing }
  })
}
