import { refuseValue } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countUndoable } from '../storage/tables/job-rows.ts'
import { findUndo, type JobRow } from '../storage/tables/jobs.ts'
import { hasEnded, requireLockedJob } from './job.ts'
import { newJob } from './new-job.ts'
import { type JobObject, presentJob } from './present-job.ts'

/** Undoes an import, as a new job. `created` is false if the import has an undo already. */
export function undoJob(scope: Scope, id: string): Promise<{ job: JobObject; created: boolean }> {
  requireAbilities(scope, ['update', 'delete'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    const before = await findUndo(inside, job.id)
    if (before) return { job: presentJob(before), created: false }
    refuseUnlessUndoable(inside, job)
    const { resource, name } = job
    const rows = await countUndoable(inside, job.id)
    const undo = await newJob(inside, { type: 'undo', state: 'queued', resource, name, rows, undo_of: job.id })
    return { job: presentJob(undo), created: true }
  })
}

function refuseUnlessUndoable({ now }: Scope, job: JobRow): void {
  if (job.type !== 'import') refuseValue('type', 'Only an import can be undone.')
  if (job.dry_run === 1) refuseValue('dry_run', 'The job was a dry run: it changed nothing.')
  if (!hasEnded(job.state)) {
    refuseValue('state', `The job is ${job.state}. Wait until it has ended, or cancel it, and then undo it.`)
  }
  if (job.undoable_until === null) refuseValue('job', 'The job changed nothing that could be undone.')
  if (Date.parse(job.undoable_until) <= now().getTime()) {
    refuseValue('undoable_until', `The job could be undone until ${job.undoable_until}.`)
  }
}
