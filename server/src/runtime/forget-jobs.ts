import { firstIdAt } from '@kith/contract/id'
import { DAY_MS, HOUR_MS, JOB_DAYS, JOB_FILE_HOURS, JOB_WAITING_HOURS } from '@kith/contract/limits'
import type { Engine } from '../storage/engines/engine.ts'
import { findClaimingJobs, pruneJobClaims } from '../storage/tables/job-claims.ts'
import { deleteFile, findOldFiles } from '../storage/tables/job-files.ts'
import { pruneResults } from '../storage/tables/job-rows.ts'
import { deleteJob, findOldJobs } from '../storage/tables/jobs.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

/**
 * Deletes jobs whose file has not come within an hour, jobs that ended 30 days ago, and files a day after the end of
 * their last job, or an hour after an upload that no job took. Also what dry runs have claimed that have ended.
 */
export async function forgetJobs(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = (ms: number) => new Date(at.getTime() - ms).toISOString()
  const old = { waiting_since: before(JOB_WAITING_HOURS * HOUR_MS), ended_before: before(JOB_DAYS * DAY_MS) }
  const files = {
    first_id: firstIdAt(at.getTime() - JOB_WAITING_HOURS * HOUR_MS),
    ended_before: before(JOB_FILE_HOURS * HOUR_MS),
  }
  for (const workspace_id of await loadWorkspaceIds(engine.db)) {
    await forgetClaims(engine, workspace_id, isStopped)
    await forgetOldJobs(engine, workspace_id, { old, isStopped })
    for (const file_id of await findOldFiles(engine, workspace_id, files)) {
      if (!isStopped()) await deleteFile(engine, { workspace_id, file_id })
    }
  }
}

async function forgetClaims(engine: Engine, workspaceId: string, isStopped: () => boolean): Promise<void> {
  for (const id of await findClaimingJobs(engine, workspaceId)) {
    while (!isStopped() && (await pruneJobClaims(engine, workspaceId, id)));
  }
}

type Forgetting = { old: Parameters<typeof findOldJobs>[2]; isStopped(): boolean }

async function forgetOldJobs(engine: Engine, workspaceId: string, { old, isStopped }: Forgetting): Promise<void> {
  while (!isStopped()) {
    const ids = await findOldJobs(engine.db, workspaceId, old)
    if (ids.length === 0) return
    for (const id of ids) {
      // The job goes last, so that an interrupted deletion is found again.
      while (!isStopped() && (await pruneResults(engine, workspaceId, id)));
      if (!isStopped()) await deleteJob(engine, workspaceId, id)
    }
  }
}
