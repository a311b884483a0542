import { outcomes } from '@kith/contract/jobs'
import { Refusal, type RefusalReason } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { inRehearsal, type Scope } from '../../scope/scope.ts'
import { insertResults, type ResultRow } from '../../storage/tables/job-rows.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import { type Applied, applyAll } from '../apply.ts'
import type { Step } from '../step.ts'
import { beforeOf } from './before.ts'
import { findMatches } from './find-matches.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'

type RowsInput = { done: number; entries: RowEntry[] }

/** Writes the rows of a chunk, with their results and the progress of the job. */
export const importRows: Step = async (inside, job, input) => {
  // Sent by runImport.
  const { done, entries } = input as RowsInput
  // Another attempt of the same step has done these rows.
  if (job.done !== done) return {}
  const run = (scope: Scope) => write(scope, job, entries)
  const rows = await (job.dry_run === 1 ? inRehearsal(inside, run) : run(inside))
  await insertResults(inside, job.id, rows)
  return progressOf(job, rows)
}

/** What the results of some rows add to the progress. */
export function progressOf(job: JobRow, rows: readonly ResultRow[]): Partial<JobRow> {
  const counts = outcomes.map((outcome) => [
    outcome,
    job[outcome] + rows.filter((row) => row.outcome === outcome).length,
  ])
  return { done: job.done + rows.length, ...Object.fromEntries(counts) }
}

async function write(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const resource = registry[job.resource]
  const found = await findMatches(inside, resource, entries)
  const operations = found.flatMap((entry) =>
    'operation' in entry ? [{ ...entry.operation, resource: job.resource }] : [],
  )
  const applied = await applyAll(inside, operations)
  let next = 0
  return found.map((entry) => {
    if ('failure' in entry) return failedRow(entry, entry.failure)
    const outcome = applied[next++]
    if (!outcome) throw new Error('A row has no outcome.')
    return 'refused' in outcome ? failedRow(entry, failureOf(outcome.refused)) : writtenRow(entry, outcome, job)
  })
}

function writtenRow({ row }: RowEntry, written: Exclude<Applied, { refused: unknown }>, job: JobRow): ResultRow {
  const { created, changing } = written
  const isDry = job.dry_run === 1
  return {
    row,
    outcome: created ? 'created' : changing ? 'updated' : 'unchanged',
    record_id: created && isDry ? null : written.id,
    updated_at: isDry ? null : written.updated_at,
    ...{ message: null, errors: null, source: null },
    before: changing && !isDry ? JSON.stringify(beforeOf(registry[job.resource], changing)) : null,
  }
}

function failedRow({ row, source }: RowEntry, { message, errors }: RowFailure): ResultRow {
  return {
    ...{ row, outcome: 'failed', record_id: null, updated_at: null, message },
    errors: errors && JSON.stringify(errors),
    source: JSON.stringify(source),
    before: null,
  }
}

/** What a refusal says, as in the response to a single request. */
export function failureOf(reason: RefusalReason): RowFailure {
  const { message } = new Refusal(reason)
  if (reason.kind !== 'invalid') return { message, errors: null }
  const errors = Map.groupBy(reason.issues, ({ path }) => path)
  return {
    message,
    errors: Object.fromEntries([...errors].map(([path, all]) => [path, all.map((one) => one.message)])),
  }
}
