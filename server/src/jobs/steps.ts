import { inChunkTurn } from '../batch/run-batch.ts'
import type { Step } from '../leases/step.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { lockJob, replaceJob } from '../storage/tables/jobs.ts'
import { addOptions, importRows } from './import/import-rows.ts'
import { undoRows } from './import/undo-rows.ts'
import { endOf, type JobTransaction, keptSince, type StepReply } from './job.ts'

const steps: Readonly<Record<string, JobTransaction>> = {
  'import-rows': importRows,
  'add-options': addOptions,
  'undo-rows': undoRows,
  finish: async (inside, job) => ({ state: 'done', ...endOf(inside, job) }),
  fail: async (inside, job, { message }) => ({ state: 'failed', message: String(message), ...endOf(inside, job) }),
}

/** Runs a step of a job, if the caller still has its lease. */
export function runStep(scope: Scope, { handler, input }: Step): Promise<StepReply> {
  const step = steps[handler]
  if (!step) throw new Error(`There is no step ${handler}.`)
  // Sent by jobContext.
  const { job_id, leased_by, ...rest } = input as { job_id: string; leased_by: string } & Record<string, unknown>
  const run = async (inside: Scope): Promise<StepReply> => {
    const job = await lockJob(inside, job_id, keptSince(inside))
    if (job?.state !== 'running' || job.leased_by !== leased_by) return { held: false, done: job?.done ?? 0 }
    const changes = await step(inside, job, rest)
    if (Object.keys(changes).length > 0) await replaceJob(inside, job.id, changes)
    return { held: true, done: changes.done ?? job.done }
  }
  return inChunkTurn(scope, () => inTransaction(scope, run))
}
