import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport } from '@kith/contract/bounded-report'
import { type Issue, reportInto } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/page-query'
import { parseWait } from '@kith/contract/parse-wait'
import { refuseIfAny } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadJobs } from '../storage/tables/jobs.ts'
import { hasEnded, keptSince, requireJob, seesAllJobs } from './job.ts'
import { type JobObject, presentJob } from './present-job.ts'

type ListedJobs = { data: JobObject[]; page: number; per_page: number; total: number; wait: number }

/** One page of the jobs that the caller may see, the latest first. */
export async function listJobs(scope: Scope, asked: Asked): Promise<ListedJobs> {
  requireAbilities(scope, ['read'])
  const issues: Issue[] = [...asked.issues]
  const report = reportInto(issues)
  const { page, per_page } = parsePageQuery(asked.raw, ['wait'], report)
  const wait = parseWait(asked.raw.wait, report)
  refuseIfAny(issues)
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
  const issues: Issue[] = [...asked.issues]
  const report = reportInto(issues)
  reportUnknown(asked.raw, ['wait'], boundedReport(report))
  const wait = parseWait(asked.raw.wait, report)
  refuseIfAny(issues)
  return { data: presentJob(job), wait: hasEnded(job.state) ? 0 : wait }
}
