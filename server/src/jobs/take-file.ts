import type { ImportFormat } from '@kith/contract/import/settings'
import { refuseValue } from '@kith/contract/refusal'
import type { UploadedFile } from '../calls/call.ts'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type JobRow, replaceJob } from '../storage/tables/jobs.ts'
import { mappingOf, requireJob, requireLockedJob, settingsOf } from './job.ts'
import { type JobObject, presentJob } from './present-job.ts'

/** How the file of a job is to be checked while it is received. */
export type ExpectedFile = { format: ImportFormat; delimiter: string | null; columns: string[] }

/** Before a file is received. A request that may be the repetition of an earlier one is let through in any state. */
export async function expectFile(scope: Scope, id: string, mayRepeat: boolean): Promise<ExpectedFile> {
  requireAbilities(scope, ['create', 'update'])
  const job = await requireJob(scope, id)
  if (!mayRepeat || job.type !== 'import') refuseUnlessWaiting(job)
  const { format, delimiter } = settingsOf(job)
  return { format, delimiter, columns: Object.keys(mappingOf(job)) }
}

/** Gives a job its file, and so queues it. */
export function takeFile(scope: Scope, id: string, { file_id, rows, facts }: UploadedFile): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    refuseUnlessWaiting(job)
    const changes = { state: 'queued' as const, file_id, file_facts: facts, rows }
    await replaceJob(inside, job.id, changes)
    return presentJob({ ...job, ...changes })
  })
}

function refuseUnlessWaiting({ state }: JobRow): void {
  if (state === 'waiting') return
  refuseValue('state', `The job is ${state}. A file can be sent once, while the job is waiting.`)
}
