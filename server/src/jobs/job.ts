import { newId, parseId } from '@kith/contract/id'
import {
  type CellSettings,
  type ImportFormat,
  type ImportMode,
  importModes,
  type Mapping,
} from '@kith/contract/import/settings'
import type { JobState } from '@kith/contract/jobs'
import { DAY_MS, HOUR_MS, JOB_DAYS, JOB_WAITING_HOURS, JOBS_OPEN_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse, refuseUnknownId } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { countOpenJobs, findJob, insertJob, type JobRow, lockJob } from '../storage/tables/jobs.ts'
import type { FileFacts } from './import/encoding.ts'

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

/** Until when a job that ends now can be undone; null if there is nothing to undo. */
export function undoableUntil({ now }: Pick<Scope, 'now'>, job: JobRow): string | null {
  if (job.type !== 'import' || job.dry_run === 1 || job.created + job.updated === 0) return null
  return new Date(now().getTime() + JOB_DAYS * DAY_MS).toISOString()
}

export type JobObject = { id: string; type: 'jobs'; attributes: Record<string, unknown> }

export function presentJob(job: JobRow): JobObject {
  const { type, resource, state, mode, match, name, message } = job
  const { rows, done, created, updated, unchanged, failed } = job
  const { created_at, started_at, finished_at, undoable_until, undo_of, creator_id } = job
  return {
    id: job.id,
    type: 'jobs',
    attributes: {
      ...{ type, resource, state, dry_run: job.dry_run === 1, mode, match },
      mapping: job.mapping === null ? null : mappingOf(job),
      name,
      progress: { rows, done, created, updated, unchanged, failed },
      message,
      ...{ created_at, started_at, finished_at, undoable_until, undo_of, creator_id },
    },
  }
}

const RETRY_AFTER_SECONDS = 5

type Given = Pick<JobRow, 'type' | 'resource' | 'state'> & Partial<JobRow>

/** Stores a new job of the actor, unless the workspace has too many that have not ended. */
export async function newJob(inside: Scope, given: Given): Promise<JobRow> {
  const { workspace, actor } = inside
  // The lock makes concurrent requests count each other's jobs.
  await inside.engine.lock(inside.db, [`jobs ${workspace.id}`])
  if ((await countOpenJobs(inside, keptSince(inside))) >= JOBS_OPEN_MAX) refuseMore()
  const now = inside.now()
  const job: JobRow = {
    workspace_id: workspace.id,
    id: newId(now.getTime()),
    ...{ dry_run: 0, mode: null, match: null, mapping: null, name: null, settings: '{}', file_id: null },
    ...{ file_facts: null, rows: 0, done: 0, created: 0, updated: 0, unchanged: 0, failed: 0, message: null },
    created_at: now.toISOString(),
    ...{ started_at: null, finished_at: null, undoable_until: null, undo_of: null },
    creator_id: actor.user_id,
    token_id: actor.token_id,
    ...{ leased_by: null, leased_until: null },
    ...given,
  }
  await insertJob(inside, job)
  return job
}

function refuseMore(): never {
  const message =
    `The workspace has ${JOBS_OPEN_MAX} jobs that are waiting, queued or running, and cannot have more. ` +
    'Retry when one of them has ended, or cancel one.'
  return refuse({ kind: 'rate_limited', message, retry_after: RETRY_AFTER_SECONDS })
}
