import { parseId } from '@kith/contract/id'
import type { Mapping } from '@kith/contract/import/settings'
import { type CellSettings, type ImportFormat, type ImportMode, importModes } from '@kith/contract/import/settings'
import type { JobState } from '@kith/contract/jobs'
import { HOUR_MS, JOB_WAITING_HOURS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuseUnknownId } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { findJob, type JobRow, lockJob } from '../storage/tables/jobs.ts'
import type { FileFacts } from './import/file-facts.ts'

/** What only an import needs to know about itself. */
type ImportSettings = CellSettings & {
  format: ImportFormat
  /** Null where the job names none. */
  delimiter: string | null
  create_options: boolean
}

/** The job of this id, as far as the caller may see it. */
export async function requireJob(scope: Scope, id: string): Promise<JobRow> {
  return visible(scope, id, await findJob(scope, parseId(id) ?? '', keptSince(scope)))
}

/** The same, locked until the transaction ends. */
export async function requireLockedJob(inside: Scope, id: string): Promise<JobRow> {
  return visible(inside, id, await lockJob(inside, parseId(id) ?? '', keptSince(inside)))
}

/** Jobs of others look like jobs that do not exist. */
function visible({ actor }: Scope, id: string, job: JobRow | undefined): JobRow {
  if (job && (job.creator_id === actor.user_id || seesAllJobs(actor))) return job
  return refuseUnknownId('job', id)
}

export function seesAllJobs({ role }: Pick<Scope['actor'], 'role'>): boolean {
  return roleMay(role, 'see_all_jobs')
}

/** A job without a file is deleted after an hour. It is gone at once, even if the upkeep comes later. */
export function keptSince({ now }: Pick<Scope, 'now'>): { waiting_since: string } {
  return { waiting_since: new Date(now().getTime() - JOB_WAITING_HOURS * HOUR_MS).toISOString() }
}

export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

export function settingsOf({ settings }: JobRow): ImportSettings {
  // Written by newImport.
  return JSON.parse(settings)
}

/** Every import has a mode. */
export function modeOf({ mode }: JobRow): ImportMode {
  return importModes.find((one) => one === mode) ?? 'create'
}

export function mappingOf({ mapping }: JobRow): Mapping {
  // Written by newImport.
  return mapping === null ? {} : JSON.parse(mapping)
}

export function factsOf({ file_facts }: JobRow): FileFacts {
  if (file_facts === null) throw new Error('The job has no file.')
  // Written by takeFile.
  return JSON.parse(file_facts)
}
