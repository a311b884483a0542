import type { ImportFormat } from '@kith/contract/import/settings'
import { HOUR_MS, JOB_FILE_HOURS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countUndoable, endOf, findUndo, type JobRow, jobTable } from '../storage/tables/jobs.ts'
import {
  hasEnded,
  type JobObject,
  mappingOf,
  newJob,
  presentJob,
  requireJob,
  requireLockedJob,
  settingsOf,
} from './job.ts'
import { notifyEnded } from './notify-ended.ts'

/** A stored file, and the facts about it as JSON. */
export type UploadedFile = { file_id: string; sha256: string; rows: number; facts: string }

/** Undoes an import, as a new job. `created` is false if the import already has an undo. */
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

/** Stops a job after the rows in progress: the lock waits for them. Finished rows stay. */
export function cancelJob(scope: Scope, id: string): Promise<JobObject> {
  requireAbilities(scope, ['update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    if (job.state === 'cancelled') return presentJob(job)
    if (hasEnded(job.state)) refuseValue('state', `The job is ${job.state} and cannot be cancelled. ${howToUndo(job)}`)
    const changes = { state: 'cancelled' as const, ...endOf(inside, job) }
    await jobTable.update(inside, { id: job.id }, changes)
    await notifyEnded(inside, { ...job, ...changes })
    return presentJob({ ...job, ...changes })
  })
}

function howToUndo({ undoable_until }: JobRow): string {
  return undoable_until === null ? '' : 'It can be undone.'
}

/** Runs a finished dry run for real, as a new job with the same file. */
export function rerunJob(scope: Scope, id: string): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    if (job.dry_run === 0) refuseValue('dry_run', 'The job was not a dry run. Only a dry run can be run for real.')
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

/** How the file of a job is checked while it is received. */
export type ExpectedFile = { format: ImportFormat; delimiter: string | null; columns: string[] }

/** Runs before a file is received. A request that may repeat an earlier one is accepted in any state. */
export async function expectFile(scope: Scope, id: string, mayRepeat: boolean): Promise<ExpectedFile> {
  requireAbilities(scope, ['create', 'update'])
  const job = await requireJob(scope, id)
  if (!mayRepeat || job.type !== 'import') refuseUnlessWaiting(job)
  const { format, delimiter } = settingsOf(job)
  return { format, delimiter, columns: Object.keys(mappingOf(job)) }
}

/** Gives a job its file and queues it. */
export function takeFile(scope: Scope, id: string, { file_id, rows, facts }: UploadedFile): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  return inTransaction(scope, async (inside) => {
    const job = await requireLockedJob(inside, id)
    refuseUnlessWaiting(job)
    const changes = { state: 'queued' as const, file_id, file_facts: facts, rows }
    await jobTable.update(inside, { id: job.id }, changes)
    return presentJob({ ...job, ...changes })
  })
}

function refuseUnlessWaiting({ state }: JobRow): void {
  if (state === 'waiting') return
  refuseValue('state', `The job is ${state}. A file can be sent once, while the job is waiting.`)
}
