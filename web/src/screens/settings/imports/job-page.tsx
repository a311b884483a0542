import { parseTarget } from '@kith/contract/import/target'
import type { Issue } from '@kith/contract/issue'
import type { JobState } from '@kith/contract/jobs'
import type { Resource, Schema } from '@kith/contract/resource'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft, Download, Undo2 } from 'lucide-react'
import { useEffect } from 'react'
import {
  cancelJob,
  type FailedRow,
  failedRowsFile,
  hasEnded,
  type Job,
  jobQuery,
  loadFailedRows,
  runJob,
  undoJob,
} from '../../../api/jobs.ts'
import { useMembers } from '../../../api/members.ts'
import { shownFailure } from '../../../api/problems.ts'
import { recordsKey } from '../../../api/records.ts'
import { useSchema } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmButton } from '../../../components/dialog.tsx'
import { Pill } from '../../../components/pill.tsx'
import { ErrorState } from '../../../components/states.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { formatCount, formatNumber } from '../../../format/numbers.ts'
import { FormProblem } from '../../../forms/form.tsx'
import { useAction } from '../../../forms/save.ts'
import { appearanceIn, useAppearance } from '../../../resources.ts'
import { byColumn } from '../../import/columns/check-rows.ts'
import { draftFor } from '../../import/draft-store.ts'
import { ProblemTable } from '../../import/problem-table.tsx'
import { csvReader } from '../../import/reading/csv-rows.ts'
import { labelOf } from '../../import/target-words.ts'
import { RowSkeletons } from '../page.tsx'

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
  const schema = useSchema()
  const { name, state, message, named, progress, created_at, creator_id, dry_run } = job.attributes
  const creator = useMembers().find(({ id }) => id === creator_id)
  const { label, tint } = stateWords[state]
  return (
    <>
      <header className="mt-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 dir="auto" className="text-lg font-semibold tracking-tight wrap-anywhere">
            {name ?? kindOf(schema, job)}
          </h2>
          <p className="mt-1 flex items-start gap-2 text-sm text-quiet">
            <Pill tint={tint}>{label}</Pill>
            <span className="min-w-0">
              {kindOf(schema, job)}, {formatMoment(created_at)}
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
      {named && hasEnded(job) && (
        <p className="mt-1 text-sm text-quiet">
          Records found by name: {formatNumber(named.linked)} will be linked, {formatNumber(named.created)} created,{' '}
          {formatNumber(named.open)} left open.
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

/** Lists show the imported records as soon as the job has ended. */
function useFreshRecords(job: Job | undefined): void {
  const slug = useSlug()
  const queries = useQueryClient()
  const resource = job && hasEnded(job) && !job.attributes.dry_run ? job.attributes.resource : undefined
  useEffect(() => {
    if (resource) void queries.invalidateQueries({ queryKey: recordsKey(slug, resource) })
  }, [slug, queries, resource])
}

const MOST = 100

/** The rows that were not written, and why. */
function FailedRows({ job }: { job: Job }) {
  const slug = useSlug()
  const { type, progress } = job.attributes
  const resource = useSchema().get(job.attributes.resource)
  const { data, error, refetch } = useQuery({
    queryKey: [slug, 'jobs', job.id, 'failed'],
    queryFn: ({ signal }) => loadFailedRows(slug, { id: job.id, hasFile: type === 'import', most: MOST }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <section aria-label="Rows with problems" className="mt-6">
      <h3 className="text-sm font-semibold">{type === 'undo' ? 'Left as they are' : 'Rows with problems'}</h3>
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <RowSkeletons />}
      {data && type === 'undo' && <LeftRecords job={job} rows={data.rows} />}
      {data && type !== 'undo' && resource && <Rows job={job} resource={resource} {...data} />}
      {data && data.rows.length < progress.failed && (
        <p className="mt-2 text-xs text-faint">
          The first {data.rows.length} of {formatNumber(progress.failed)} rows. The file has all of them.
        </p>
      )}
    </section>
  )
}

type FailedRowsProps = { job: Job; rows: readonly FailedRow[]; csv: string }

/** The cells that are imported, with the problems at their places. */
function Rows({ job, rows, csv, resource }: FailedRowsProps & { resource: Resource }) {
  const { mapping, match } = job.attributes
  const [header = [], ...sources] = csvReader(',').write(csv)
  const names = header.slice(0, -1).map((column) => mapping?.[column] ?? null)
  const targets = names.map((name) => (name === null ? null : (parseTarget(name, resource) ?? null)))
  const columns = names.flatMap((name, index) => (name === null ? [] : [{ index, label: labelOf(name, resource) }]))
  const shown = rows.map(({ row, message, errors }, index) => {
    const problems = byColumn(issuesOf(errors, match) ?? [{ path: '', message }], targets)
    return { row, cells: sources[index] ?? [], problems }
  })
  return <ProblemTable label="Cells of these rows" columns={wrongFirst(columns, shown)} rows={shown} />
}

type CsvColumns = { index: number; label: string }[]

/** The first column tells which row it is. Those with problems follow, so that they are seen without scrolling. */
function wrongFirst(
  [first, ...others]: CsvColumns,
  rows: readonly { problems: ReadonlyMap<number, unknown> }[],
): CsvColumns {
  if (!first) return []
  const isWrong = ({ index }: CsvColumns[number]) => rows.some(({ problems }) => problems.has(index))
  return [first, ...others.filter(isWrong), ...others.filter((column) => !isWrong(column))]
}

/** A value that finds no record because it is none is said twice: as the match and as the value. */
function issuesOf(errors: FailedRow['errors'], match: string | null): Issue[] | undefined {
  const entries = Object.entries(errors)
  const isMatch = (path: string) => /^match(\.|$)/.test(path)
  const others = entries.filter(([path]) => !isMatch(path))
  const isSaid = others.some(([path]) => match !== null && path.split('.').includes(match))
  const said = isSaid ? others : entries.map(([path, all]) => [isMatch(path) ? (match ?? path) : path, all] as const)
  const issues = said.flatMap(([path, all]) => all.map((message) => ({ path, message })))
  return issues.length > 0 ? issues : undefined
}

function LeftRecords({ job, rows }: Omit<FailedRowsProps, 'csv'>) {
  const slug = useSlug()
  const schema = useSchema()
  const { resource } = job.attributes
  return (
    <ul className="mt-2 divide-y divide-line text-sm">
      {rows.map(({ row, id, message }) => (
        <li key={row} className="flex flex-wrap gap-x-3 py-2">
          <span className="min-w-0 flex-1">{message}</span>
          {id && schema.has(resource) && (
            <Link
              to="/$workspace/$resource/$id"
              params={{ workspace: slug, resource, id }}
              className="text-accent hover:underline"
            >
              Open the record
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What can be done about a job: run a check for real, cancel it, undo it, take its failed rows. */
function JobActions({ job }: { job: Job }) {
  const slug = useSlug()
  const schema = useSchema()
  const { resource, type, dry_run, state, progress } = job.attributes
  const open = useOpenJob()
  const running = useAction(() => runJob(slug, job.id), { next: open })
  const cancelling = useAction(() => cancelJob(slug, job.id), { next: open })
  const good = progress.created + progress.updated + progress.unchanged
  return (
    <div className="flex flex-wrap gap-2">
      {dry_run && schema.has(resource) && draftFor(slug, resource) && (
        <Link to="/$workspace/$resource/import" params={{ workspace: slug, resource }} className={link}>
          Back to the columns
        </Link>
      )}
      {!hasEnded(job) && (
        <Button disabled={cancelling.isPending} onClick={() => cancelling.mutate()}>
          Cancel
        </Button>
      )}
      {hasEnded(job) && progress.failed > 0 && type === 'import' && (
        <a
          href={failedRowsFile(slug, job.id)}
          download={`problems-${job.attributes.name ?? resource}.csv`}
          className={link}
        >
          <Download aria-hidden className="size-4" />
          Rows with problems
        </a>
      )}
      {dry_run && state === 'done' && good > 0 && (
        <Button look="primary" disabled={running.isPending} onClick={() => running.mutate()}>
          Import {formatNumber(good)} {good === 1 ? 'row' : 'rows'}
        </Button>
      )}
      <UndoButton job={job} />
      {hasEnded(job) && !dry_run && schema.has(resource) && (
        <Link to="/$workspace/$resource" params={{ workspace: slug, resource }} className={link}>
          Open {appearanceIn(schema, resource).many}
        </Link>
      )}
    </div>
  )
}

const link = 'inline-flex h-8 items-center gap-1.5 rounded-md border border-edge px-3 text-sm hover:bg-hover'

/** Undo cannot be undone, so it asks. */
function UndoButton({ job }: { job: Job }) {
  const slug = useSlug()
  const open = useOpenJob()
  const undoing = useAction(() => undoJob(slug, job.id), { next: open })
  const { undoable_until, resource, progress } = job.attributes
  const { many } = useAppearance(resource)
  if (undoable_until === null || Date.parse(undoable_until) < Date.now()) return null
  return (
    <ConfirmButton
      disabled={undoing.isPending}
      title={`Until ${formatMoment(undoable_until)}`}
      question="Undo this import?"
      text={
        <>
          {progress.created > 0 && `The ${formatNumber(progress.created)} ${many} that it created are deleted. `}
          {progress.updated > 0 && `The ${formatNumber(progress.updated)} that it changed get their earlier values. `}
          What was changed since then stays as it is.
        </>
      }
      action="Undo all"
      onConfirm={() => undoing.mutate()}
    >
      <Undo2 aria-hidden />
      Undo all
    </ConfirmButton>
  )
}

/** Opens the page of a job, which may be a new one. */
function useOpenJob(): (job: Job) => Promise<void> {
  const slug = useSlug()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async ({ id }) => {
    await queries.invalidateQueries({ queryKey: [slug, 'jobs'] })
    await navigate({
      to: '/$workspace/settings/$page',
      params: { workspace: slug, page: 'imports' },
      search: { job: id },
    })
  }
}

/** The name of a job without a file. */
export function kindOf(schema: Schema, { attributes: { type, dry_run, resource } }: Job): string {
  const { many } = appearanceIn(schema, resource)
  if (type === 'undo') return `Undo of an import of ${many}`
  return dry_run ? `Check of ${many}` : `Import of ${many}`
}

export const stateWords: Readonly<Record<JobState, { label: string; tint: string }>> = {
  waiting: { label: 'Waiting for its file', tint: 'gray' },
  queued: { label: 'Queued', tint: 'gray' },
  running: { label: 'Running', tint: 'blue' },
  done: { label: 'Done', tint: 'green' },
  failed: { label: 'Failed', tint: 'red' },
  cancelled: { label: 'Cancelled', tint: 'gray' },
}

/** What became of the rows, in words: "120 created, 3 failed". */
export function outcomeOf({ attributes: { progress, dry_run, type } }: Job): string {
  const { created, updated, unchanged, failed } = progress
  const words: [number, string][] =
    type === 'undo'
      ? [
          [updated, 'undone'],
          [failed, 'left as they are'],
        ]
      : [
          [created, dry_run ? 'to create' : 'created'],
          [updated, dry_run ? 'to update' : 'updated'],
          [unchanged, 'unchanged'],
          [failed, dry_run ? 'with problems' : 'failed'],
        ]
  const said = words.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return said.length === 0 ? 'Nothing yet' : said.join(', ')
}
