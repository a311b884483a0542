import { outcomes } from '@kith/contract/jobs'
import { registry } from '@kith/contract/registry'
import type { Scope } from '../../scope/scope.ts'
import { insertResults, type ResultRow } from '../../storage/tables/job-rows.ts'
import type { JobRow } from '../../storage/tables/jobs.ts'
import type { Step } from '../step.ts'
import { beforeOf } from './before.ts'
import { rehearseRows } from './rehearse-rows.ts'
import type { RowEntry, RowFailure } from './row-entry.ts'
import { outcomeOf, writeEntries } from './write-entries.ts'

type RowsInput = { done: number; entries: RowEntry[] }

/** Writes the rows of a chunk, with their results and the progress of the job. */
export const importRows: Step = async (inside, job, input) => {
  // Sent by runImport.
  const { done, entries } = input as RowsInput
  // Another attempt of the same step has done these rows.
  if (job.done !== done) return {}
  const rows = job.dry_run === 1 ? await rehearse(inside, job, entries) : await write(inside, job, entries)
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

const NOTHING = { updated_at: null, message: null, errors: null, source: null, before: null }

async function rehearse(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const rows = await rehearseRows(inside, job, entries)
  return rows.map((one) => {
    if ('failure' in one) return failedRow(one.entry, one.failure)
    return { ...NOTHING, row: one.entry.row, outcome: one.outcome, record_id: one.record_id }
  })
}

async function write(inside: Scope, job: JobRow, entries: readonly RowEntry[]): Promise<ResultRow[]> {
  const resource = registry[job.resource]
  const rows = await writeEntries(inside, job, entries)
  return rows.map((one): ResultRow => {
    if ('failure' in one) return failedRow(one.entry, one.failure)
    const { id, updated_at, changing } = one.written
    const before = changing ? JSON.stringify(beforeOf(resource, changing)) : null
    return { ...NOTHING, row: one.entry.row, outcome: outcomeOf(one.written), record_id: id, updated_at, before }
  })
}

function failedRow({ row, source }: RowEntry, { message, errors }: RowFailure): ResultRow {
  return {
    ...{ row, outcome: 'failed', record_id: null, updated_at: null, message },
    errors: errors && JSON.stringify(errors),
    source: JSON.stringify(source),
    before: null,
  }
}
