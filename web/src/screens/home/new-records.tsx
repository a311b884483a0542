import { useQueries } from '@tanstack/react-query'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { useSlug } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatNumber } from '../../format/numbers.ts'
import { appearances, counted } from '../../resources.ts'
import { axis, ChartFrame, grid, hovered } from './chart.tsx'
import { ChartTip } from './chart-tip.tsx'
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
  const points = months.map((month): Month => {
    const [companies = 0, people = 0, opportunities = 0] = results.map(
      ({ data }) => data?.data.find(({ key }) => key === month)?.count ?? 0,
    )
    return { month, companies, people, opportunities }
  })
  return (
    <Panel title="New records" extra={<Legend />}>
      {!ready && <Skeleton className="h-60 w-full" />}
      {ready && (
        <ChartFrame label={points.map((point) => linesOf(point).join(', ')).join('. ')}>
          <BarChart data={points} maxBarSize={20} margin={{ left: 0, right: 8 }}>
            <CartesianGrid {...grid} vertical={false} />
            <XAxis
              dataKey="month"
              {...axis}
              interval="equidistantPreserveStart"
              tickFormatter={(month: string) => monthName(month, 'short')}
            />
            <YAxis width={44} allowDecimals={false} {...axis} tickFormatter={formatNumber} />
            <Tooltip cursor={hovered} content={<ChartTip lines={linesOf} />} />
            {shown.map((resource, index) => (
              <Bar
                key={resource}
                dataKey={resource}
                stackId="all"
                fill={colours[index] ?? colours[0]}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ChartFrame>
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
