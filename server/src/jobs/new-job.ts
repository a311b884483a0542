import { newId } from '@kith/contract/id'
import { JOBS_OPEN_MAX } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { countOpenJobs, insertJob, type JobRow } from '../storage/tables/jobs.ts'
import { keptSince } from './job.ts'

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
