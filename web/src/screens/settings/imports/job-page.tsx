import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useEffect } from 'react'
import { hasEnded, type Job, jobQuery } from '../../../api/jobs.ts'
import { shownFailure } from '../../../api/problems.ts'
import { recordsKey } from '../../../api/records.ts'
import { useMembers, useSlug } from '../../../api/workspace.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Pill } from '../../../components/pill.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { formatCount, formatNumber } from '../../../format/numbers.ts'
import { RowSkeletons } from '../page-skeleton.tsx'
import { FailedRows } from './failed-rows.tsx'
import { JobActions } from './job-actions.tsx'
import { kindOf, outcomeOf, stateWords } from './job-words.ts'

/** One import: how far it is, what became of its rows, and what can be done about it. */
export function JobPage({ id }: { id: string }) {
  const slug = useSlug()
  const { data: job, error, refetch } = useQuery(jobQuery(slug, id))
  const failure = shownFailure({ data: job, error })
  useFreshRecords(job)
  return (
    <div className="mx-auto w-full max-w-240 px-4 py-6 sm:px-6 sm:py-8">
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: slug, page: 'imports' }}
        className="inline-flex items-center gap-1 text-sm text-quiet hover:text-ink [&_svg]:size-4"
      >
        <ChevronLeft aria-hidden />
        Imports
      </Link>
      {failure && <ErrorState error={failure} onRetry={refetch} />}
      {!job && !failure && <RowSkeletons />}
      {job && !failure && <Details job={job} isStale={error !== null} />}
    </div>
  )
}

function Details({ job, isStale }: { job: Job; isStale: boolean }) {
  const { name, state, message, progress, created_at, creator_id, dry_run } = job.attributes
  const creator = useMembers().find(({ id }) => id === creator_id)
  const { label, tint } = stateWords[state]
  return (
    <>
      <header className="mt-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 dir="auto" className="text-lg font-semibold tracking-tight wrap-anywhere">
            {name ?? kindOf(job)}
          </h2>
          <p className="mt-1 flex items-start gap-2 text-sm text-quiet">
            <Pill tint={tint}>{label}</Pill>
            <span className="min-w-0">
              {kindOf(job)}, {formatMoment(created_at)}
              {creator && ` by ${creator.name}`}
            </span>
          </p>
        </div>
        <JobActions job={job} />
      </header>
      {isStale && (
        <p role="alert" className="mt-4 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
          The service could not be reached. The import goes on without this page. Trying again.
        </p>
      )}
      {!hasEnded(job) && state !== 'waiting' && <Running job={job} />}
      {message !== null && (
        <div className="mt-4">
          <FormProblem text={message} />
        </div>
      )}
      {hasEnded(job) && (
        <p role="status" className="mt-4 text-sm">
          {dry_run && state === 'done' && 'This was a check, which writes nothing. '}
          {progress.done > 0 && `Of ${formatCount(progress.rows, 'row')}: ${outcomeOf(job)}.`}
        </p>
      )}
      {progress.failed > 0 && hasEnded(job) && <FailedRows job={job} />}
    </>
  )
}

function Running({ job }: { job: Job }) {
  const { progress, state } = job.attributes
  const text =
    state === 'queued' ? 'Waits for its turn' : `${formatNumber(progress.done)} of ${formatCount(progress.rows, 'row')}`
  return (
    <div className="mt-5">
      <p role="status" data-numeric className="text-sm text-quiet">
        {text}
      </p>
      <progress
        aria-label="Progress"
        className="bulk-progress mt-2 block h-1 w-full"
        value={progress.done}
        max={Math.max(1, progress.rows)}
      />
      <p className="mt-2 text-xs text-faint">You can close this page: the service goes on.</p>
    </div>
  )
}

/** Lists show what was imported as soon as the job has ended. */
function useFreshRecords(job: Job | undefined): void {
  const slug = useSlug()
  const queries = useQueryClient()
  const resource = job && hasEnded(job) && !job.attributes.dry_run ? job.attributes.resource : undefined
  useEffect(() => {
    if (resource) void queries.invalidateQueries({ queryKey: recordsKey(slug, resource) })
  }, [slug, queries, resource])
}
