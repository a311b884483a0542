import { DAY_MS, JOB_DAYS } from '@kith/contract/limits'
import type { Scope } from '../scope/scope.ts'
import type { JobRow } from '../storage/tables/jobs.ts'

/** Until when a job that ends now can be undone; null if there is nothing to undo. */
export function undoableUntil({ now }: Pick<Scope, 'now'>, job: JobRow): string | null {
  if (job.type !== 'import' || job.dry_run === 1 || job.created + job.updated === 0) return null
  return new Date(now().getTime() + JOB_DAYS * DAY_MS).toISOString()
}
