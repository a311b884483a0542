import type { Outcome } from '@kith/contract/jobs'
import type { RefusalReason } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { fullMessage } from '../../batch/full-message.ts'
import type { Scope } from '../../scope/scope.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import { type Applied, applyAll } from '../apply.ts'
import { findMatches } from './find-matches.ts'
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
  const message = fullMessage(reason)
  if (reason.kind !== 'invalid') return { message, errors: null }
  const errors = Map.groupBy(reason.issues, ({ path }) => path)
  return {
    message,
    errors: Object.fromEntries([...errors].map(([path, all]) => [path, all.map((one) => one.message)])),
  }
}
