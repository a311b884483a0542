import { inChunkTurn } from '../batch/run-batch.ts'
import { withSchema } from '../fields/definitions.ts'
import { byService } from '../notifications/notify.ts'
import { inTransaction, type Scope, type Tenancy } from '../scope/scope.ts'
import { endOf, jobTable, lockJob } from '../storage/tables/jobs.ts'
import { addOptions, importRows } from './import/import-rows.ts'
import { undoRows } from './import/undo-rows.ts'
import { type JobSteps, type JobTransaction, keptSince, type StepReply } from './job.ts'
import { notifyEnded } from './notify-ended.ts'

export const jobSteps = {
  'import-rows': inLease(importRows),
  'add-options': inLease(addOptions),
  'undo-rows': inLease(undoRows),
  finish: inLease<'finish'>(async (inside, job) => ({ state: 'done', ...endOf(inside, job) })),
  fail: inLease<'fail'>(async (inside, job, { message }) => ({ state: 'failed', message, ...endOf(inside, job) })),
}

/** Runs a step of a job in a transaction, if the caller still has the job's lease. */
function inLease<Name extends keyof JobSteps>(transaction: JobTransaction<Name>) {
  type Input = JobSteps[Name] & { job_id: string; leased_by: string | null }
  return async (tenancy: Tenancy, input: Input): Promise<StepReply> => {
    const run = async (inside: Scope): Promise<StepReply> => {
      const job = await lockJob(inside, input.job_id, keptSince(inside))
      if (job?.state !== 'running' || job.leased_by !== input.leased_by) return { held: false, done: job?.done ?? 0 }
      const changes = await transaction(inside, job, input)
      if (Object.keys(changes).length > 0) await jobTable.update(inside, { id: job.id }, changes)
      await notifyEnded(byService(inside), { ...job, ...changes })
      return { held: true, done: changes.done ?? job.done }
    }
    const scope = await withSchema(tenancy)
    // All rows of an import notify each person once.
    const whole = { ...scope, event: input.job_id }
    return inChunkTurn(whole, () => inTransaction(whole, run))
  }
}
