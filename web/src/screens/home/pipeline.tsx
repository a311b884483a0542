import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFields } from '../../api/fields.ts'
import type { SummaryGroup } from '../../api/summaries.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatMoney, formatMoneyShort } from '../../format/numbers.ts'
import { counted } from '../../resources.ts'
import { Rows } from './bars.tsx'
import { pipelineQuery } from './figures.ts'
import { Nothing, Panel } from './panel.tsx'

const CLOSED = ['Closed Won', 'Closed Lost']

/** What the open opportunities are worth, by stage. */
export function Pipeline() {
  const slug = useSlug()
  const amount = useFields('opportunities').find(({ code }) => code === 'amount')
  const settings = amount?.settings ?? {}
  const { data, error, refetch } = useQuery(pipelineQuery(slug))
  const open = (data?.data ?? []).filter(({ label }) => !CLOSED.includes(label))
  const total = open.reduce((sum, { value }) => sum + (value ?? 0), 0)
  return (
    <Panel
      title="Pipeline"
      extra={
        data && (
          <Link
            to="/$workspace/$resource"
            params={{ workspace: slug, resource: 'opportunities' }}
            search={{ layout: 'board' }}
            title={formatMoney(total, settings)}
            className="hover:text-ink hover:underline"
          >
            {formatMoneyShort(total, settings)} open
          </Link>
        )
      }
    >
      {!data && error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-60 w-full" />}
      {data && open.every(({ count }) => count === 0) && <Nothing>No open opportunities yet.</Nothing>}
      {data && open.some(({ count }) => count > 0) && (
        <Rows
          label={open.map((group) => `${group.label}: ${told(group, settings)}`).join('. ')}
          bars={open.map((group) => ({
            name: group.label,
            parts: [{ value: Math.max(0, group.value ?? 0), color: 'var(--accent)' }],
            lines: [group.label, told(group, settings)],
          }))}
          format={(value) => formatMoneyShort(value, settings)}
        />
      )}
    </Panel>
  )
}

function told({ value, count }: SummaryGroup, settings: { currency?: string }): string {
  return `${formatMoney(value ?? 0, settings)}, ${counted(count, 'opportunities')}`
}
