import { parseTarget } from '@kith/contract/import/target'
import type { Issue } from '@kith/contract/issue'
import { registry } from '@kith/contract/registry'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FailedRow, loadFailedRows } from '../../../api/failed-rows.ts'
import type { Job } from '../../../api/jobs.ts'
import { useSlug } from '../../../api/workspace.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import { formatNumber } from '../../../format/numbers.ts'
import { byColumn } from '../../import/columns/check-rows.ts'
import { useDefinitions } from '../../import/columns/definitions.ts'
import { ProblemTable } from '../../import/problem-table.tsx'
import { csvReader } from '../../import/reading/csv-rows.ts'
import { labelOf } from '../../import/target-words.ts'
import { RowSkeletons } from '../page-skeleton.tsx'

const MOST = 100

/** The rows that were not written, and why. */
export function FailedRows({ job }: { job: Job }) {
  const slug = useSlug()
  const { type, progress } = job.attributes
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
      {data && (type === 'undo' ? <LeftRecords job={job} rows={data.rows} /> : <Rows job={job} {...data} />)}
      {data && data.rows.length < progress.failed && (
        <p className="mt-2 text-xs text-faint">
          The first {data.rows.length} of {formatNumber(progress.failed)} rows. The file has all of them.
        </p>
      )}
    </section>
  )
}

type RowsProps = { job: Job; rows: readonly FailedRow[]; csv: string }

/** The cells that are imported, with the problems at their places. */
function Rows({ job, rows, csv }: RowsProps) {
  const definitions = useDefinitions()
  const { resource, mapping, match } = job.attributes
  const context = { resource: registry[resource], definitions }
  const [header = [], ...sources] = csvReader(',').write(csv)
  const names = header.slice(0, -1).map((column) => mapping?.[column] ?? null)
  const targets = names.map((name) => (name === null ? null : (parseTarget(name, context) ?? null)))
  const columns = names.flatMap((name, index) => (name === null ? [] : [{ index, label: labelOf(name, context) }]))
  const shown = rows.map(({ row, message, errors }, index) => {
    const problems = byColumn(issuesOf(errors, match) ?? [{ path: '', message }], targets)
    return { row, cells: sources[index] ?? [], problems }
  })
  return <ProblemTable label="Cells of these rows" columns={wrongFirst(columns, shown)} rows={shown} />
}

type Columns = { index: number; label: string }[]

/** The first column tells which row it is. Those with problems follow, so that they are seen without scrolling. */
function wrongFirst([first, ...others]: Columns, rows: readonly { problems: ReadonlyMap<number, unknown> }[]): Columns {
  if (!first) return []
  const isWrong = ({ index }: Columns[number]) => rows.some(({ problems }) => problems.has(index))
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

function LeftRecords({ job, rows }: Omit<RowsProps, 'csv'>) {
  const slug = useSlug()
  const { resource } = job.attributes
  return (
    <ul className="mt-2 divide-y divide-line text-sm">
      {rows.map(({ row, id, message }) => (
        <li key={row} className="flex flex-wrap gap-x-3 py-2">
          <span className="min-w-0 flex-1">{message}</span>
          {id && (
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
