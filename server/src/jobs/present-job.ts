import type { JobRow } from '../storage/tables/jobs.ts'
import { mappingOf } from './job.ts'

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
