import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { useFields } from '../../api/fields.ts'
import type { SummaryGroup } from '../../api/summaries.ts'
import { useSlug } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatMoney, formatMoneyShort } from '../../format/numbers.ts'
import { counted } from '../../resources.ts'
import { axis, ChartFrame, grid, hovered } from './chart.tsx'
import { ChartTip } from './chart-tip.tsx'
import { pipelineQuery } from './figures.ts'
import { Nothing, Panel } from './panel.tsx'

const CLOSED = ['Closed Won', 'Closed Lost']

/** What the open opportunities are worth, by stage. */
export function Pipeline() {
  const slug = useSlug()
  const amount = useFields('opportunities').find(({ code }) => code === 'amount')
  const settings = amount?.settings ?? {}
  const { data } = useQuery(pipelineQuery(slug))
  const open = (data?.data ?? []).filter(({ label }) => !CLOSED.includes(label))
  const total = open.reduce((sum, { value }) => sum + (value ?? 0), 0)
  return (
    <Panel
      title="Pipeline"
      extra={
        <Link
          to="/$workspace/$resource"
          params={{ workspace: slug, resource: 'opportunities' }}
          search={{ layout: 'board' }}
          title={formatMoney(total, settings)}
          className="hover:text-ink hover:underline"
        >
          {formatMoneyShort(total, settings)} open
        </Link>
      }
    >
      {!data && <Skeleton className="h-60 w-full" />}
      {data && open.every(({ count }) => count === 0) && <Nothing>No open opportunities yet.</Nothing>}
      {data && open.some(({ count }) => count > 0) && (
        <ChartFrame label={open.map((group) => `${group.label}: ${told(group, settings)}`).join('. ')}>
          <BarChart data={open} layout="vertical" margin={{ left: 0, right: 16 }}>
            <CartesianGrid {...grid} horizontal={false} />
            <XAxis type="number" {...axis} tickFormatter={(value: number) => formatMoneyShort(value, settings)} />
            <YAxis type="category" dataKey="label" width={132} interval={0} {...axis} />
            <Tooltip
              cursor={hovered}
              content={<ChartTip lines={(group: SummaryGroup) => [group.label, told(group, settings)]} />}
            />
            <Bar dataKey="value" fill="var(--accent)" radius={3} barSize={14} isAnimationActive={false} />
          </BarChart>
        </ChartFrame>
      )}
    </Panel>
  )
}

function told({ value, count }: SummaryGroup, settings: { currency?: string }): string {
  return `${formatMoney(value ?? 0, settings)}, ${counted(count, 'opportunities')}`
}
