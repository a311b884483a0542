import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseWait } from '@kith/contract/parse-wait'
import { parseOrRefuse } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadJobs } from '../storage/tables/jobs.ts'
import { hasEnded, type JobObject, keptSince, presentJob, requireJob, seesAllJobs } from './job.ts'

/** One page of the jobs that the caller may see, the latest first. */
export async function listJobs(scope: Scope, asked: Asked): Promise<PageOf<JobObject> & { wait: number }> {
  requireAbilities(scope, ['read'])
  const { page, per_page, wait } = parseOrRefuse(asked.issues, (report) => ({
    ...parsePageQuery(asked.raw, ['wait'], report),
    wait: parseWait(asked.raw.wait, report),
  }))
  const creator_id = seesAllJobs(scope.actor) ? undefined : scope.actor.user_id
  return inSnapshot(scope, async (inside) => {
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadJobs(inside, { ...keptSince(inside), creator_id, ...limits })
    return { data: rows.map(presentJob), page, per_page, total, wait }
  })
}

/** One job. `wait` is 0 once it has ended: nothing changes after that. */
export async function readJob(
  scope: Scope,
  { id, asked }: { id: string; asked: Asked },
): Promise<{ data: JobObject; wait: number }> {
  requireAbilities(scope, ['read'])
  const job = await requireJob(scope, id)
  const wait = parseOrRefuse(asked.issues, (report) => {
    reportUnknown(asked.raw, ['wait'], boundedReport(report))
    return parseWait(asked.raw.wait, report)
  })
  return { data: presentJob(job), wait: hasEnded(job.state) ? 0 : wait }
}
