import type { Auditor } from '../journal/write.ts'
import { notify } from '../notifications/notify.ts'
import type { JobRow } from '../storage/tables/jobs.ts'
import { hasEnded } from './job.ts'

/** Tells the creator of an import that it has ended. */
export async function notifyEnded(inside: Auditor, job: JobRow): Promise<void> {
  if (job.type !== 'import' || !hasEnded(job.state)) return
  const about = { resource: null, record_id: job.id, detail: summaryOf(job), event: `job ${job.id}` }
  await notify(inside, [{ user_id: job.creator_id, reason: 'import', ...about }])
}

function summaryOf({ name, resource, dry_run, state, message, created, updated, unchanged, failed }: JobRow): string {
  const what = `The ${dry_run === 1 ? 'dry run of the import' : 'import'} ${name ?? `of ${resource}`}`
  if (state === 'failed') return `${what} has failed: ${message}`
  const end = state === 'cancelled' ? 'was cancelled' : 'has ended'
  const counts = Object.entries({ created, updated, unchanged, failed }).filter(([, count]) => count > 0)
  const rows = counts.map(([outcome, count]) => `${count.toLocaleString('en-US')} ${outcome}`)
  return `${what} ${end}${rows.length === 0 ? '' : `: ${rows.join(', ')}`}.`
}
