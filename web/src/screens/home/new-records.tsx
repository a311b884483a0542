import { useQueries } from '@tanstack/react-query'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatNumber } from '../../format/numbers.ts'
import { appearances, counted } from '../../resources.ts'
import { Columns } from './bars.tsx'
import { newRecordsQueries, newResources as shown } from './figures.ts'
import { lastMonths, monthName } from './months.ts'
import { Panel } from './panel.tsx'

const colours = ['var(--accent)', 'var(--chart-second)', 'var(--chart-third)'] as const

type Month = { month: string } & Record<(typeof shown)[number], number>

/** How many records came in each of the last twelve months. */
export function NewRecords() {
  const slug = useSlug()
  const months = lastMonths(12)
  const results = useQueries({ queries: newRecordsQueries(slug) })
  const ready = results.every(({ data }) => data)
  const failed = results.find(({ data, error }) => error && !data)
  const retry = () => {
    for (const { error, refetch } of results) if (error) void refetch()
  }
  const points = months.map((month): Month => {
    const [companies = 0, people = 0, opportunities = 0] = results.map(
      ({ data }) => data?.data.find(({ key }) => key === month)?.count ?? 0,
    )
    return { month, companies, people, opportunities }
  })
  return (
    <Panel title="New records" extra={<Legend />}>
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {!ready && !failed && <Skeleton className="h-60 w-full" />}
      {ready && (
        <Columns
          label={points.map((point) => linesOf(point).join(', ')).join('. ')}
          bars={points.map((point) => ({
            name: monthName(point.month, 'short'),
            parts: shown.map((resource, index) => ({ value: point[resource], color: colours[index] ?? colours[0] })),
            lines: linesOf(point),
          }))}
          format={formatNumber}
        />
      )}
    </Panel>
  )
}

function linesOf({ month, ...counts }: Month): string[] {
  return [monthName(month, 'long'), ...shown.map((resource) => counted(counts[resource], resource))]
}

function Legend() {
  return (
    <ul className="flex gap-3 text-xs">
      {shown.map((resource, index) => (
        <li key={resource} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-xs" style={{ background: colours[index] }} />
          {appearances[resource].many}
        </li>
      ))}
    </ul>
  )
}
