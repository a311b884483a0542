import { refuseValue } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type JobRow, replaceJob } from '../storage/tables/jobs.ts'
import { undoableUntil } from './end-job.ts'
import { hasEnded, requireLockedJob } from './job.ts'
import { type JobObject, presentJob } from './present-job.ts'

/** Stops a job after the rows in progress: the lock waits for them. What was done stays. */
export function cancelJob(scope: Scope, id: string): Promise<JobObject> {
  requireAbilities(scope, ['update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    if (job.state === 'cancelled') return presentJob(job)
    if (hasEnded(job.state)) refuseValue('state', `The job is ${job.state} and cannot be cancelled. ${howToUndo(job)}`)
    const changes = {
      state: 'cancelled' as const,
      finished_at: inside.now().toISOString(),
      undoable_until: undoableUntil(inside, job),
      leased_until: null,
    }
    await replaceJob(inside, job.id, changes)
    return presentJob({ ...job, ...changes })
  })
}

function howToUndo({ undoable_until }: JobRow): string {
  return undoable_until === null ? '' : 'It can be undone.'
}
