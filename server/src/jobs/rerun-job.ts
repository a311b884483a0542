import { HOUR_MS, JOB_FILE_HOURS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import type { JobRow } from '../storage/tables/jobs.ts'
import { requireLockedJob, settingsOf } from './job.ts'
import { newJob } from './new-job.ts'
import { type JobObject, presentJob } from './present-job.ts'

/** Runs a finished dry run for real, as a new job with the same file. */
export function rerunJob(scope: Scope, id: string): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    if (job.dry_run === 0) refuseValue('dry_run', 'The job was no dry run. Only a dry run can be run for real.')
    if (job.state !== 'done')
      refuseValue('state', `The job is ${job.state}. Only a dry run that is done can be run for real.`)
    if (!isFileKept(inside, job)) {
      refuseValue('file', `Files are kept for ${JOB_FILE_HOURS} hours. Create a new job and send the file again.`)
    }
    if (settingsOf(job).create_options) requirePermission(inside, 'manage_fields')
    const { type, resource, mode, match, mapping, name, settings, file_id, file_facts, rows } = job
    const copied = { type, resource, mode, match, mapping, name, settings, file_id, file_facts, rows }
    return presentJob(await newJob(inside, { ...copied, state: 'queued' }))
  })
}

function isFileKept({ now }: Scope, { finished_at }: JobRow): boolean {
  return finished_at !== null && Date.parse(finished_at) > now().getTime() - JOB_FILE_HOURS * HOUR_MS
}
