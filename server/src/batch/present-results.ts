import { ANSWER_MAX_BYTES } from '@kith/contract/limits'
import { Refusal, refusalStatuses } from '@kith/contract/refusal'
import { refusalDetails } from '@kith/contract/refusal-details'
import type { ResourceObject } from '../records/present.ts'
import { idOf, type Outcome } from './operation.ts'
import type { Batch } from './parse-operations.ts'

/** What became of one operation, as it is sent. */
export type Result = { index: number; op: string; status: number } & Record<string, unknown>

type Presenting = {
  batch: Batch
  /** The index of the first of the outcomes. */
  first: number
}

/** The results of some operations, in their order. */
export function presentResults(outcomes: readonly Outcome[], { batch, first }: Presenting): Result[] {
  return outcomes.map((outcome, place): Result => {
    const index = first + place
    const op = batch.operations[index]?.op ?? ''
    if ('refused' in outcome) {
      const { kind } = outcome.refused
      const { message } = new Refusal(outcome.refused)
      return { index, op, status: refusalStatuses[kind], message, ...refusalDetails(outcome.refused) }
    }
    const created = 'row' in outcome && outcome.created
    // A record that a dry run would create has no id.
    const isImagined = batch.dry_run && created
    const result = {
      ...{ index, op, status: 'removed' in outcome ? 204 : created ? 201 : 200 },
      id: isImagined ? null : idOf(outcome),
      updated_at: 'row' in outcome ? outcome.row.updated_at : null,
      created,
    }
    if (batch.return === 'minimal') return result
    return { ...result, data: 'row' in outcome ? shownOf(outcome.shown, isImagined) : null }
  })
}

function shownOf(shown: ResourceObject | undefined, isImagined: boolean): object | null {
  if (!shown) return null
  return isImagined ? { ...shown, id: null } : shown
}

export function isFailed({ status }: Result): boolean {
  return status >= 300
}

/** The document of a batch: the results, and how many there are of each kind. */
export function batchDocument(results: readonly Result[], { atomic, dry_run }: Batch): string {
  const failed = results.filter(isFailed).length
  const counts = { total: results.length, succeeded: results.length - failed, failed }
  let bytes = 0
  let isCut = false
  const texts = results.map((result) => {
    const text = JSON.stringify(result)
    bytes += text.length
    // The writes are done, so records that do not fit are left out.
    if (bytes <= ANSWER_MAX_BYTES || result.data === undefined) return text
    isCut = true
    const { data: _, ...rest } = result
    return JSON.stringify(rest)
  })
  const meta = { ...counts, atomic, dry_run, ...(isCut ? { truncated: ['data'] } : {}) }
  return `{"data":[${texts.join(',')}],"meta":${JSON.stringify(meta)}}`
}
