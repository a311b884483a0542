import { roleMay } from '@kith/contract/permissions'
import type { Resource } from '@kith/contract/resource'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Sprout } from 'lucide-react'
import { useDeferredValue } from 'react'
import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import {
  type ApiRecord,
  type RecordPage,
  recordsKey,
  type SummaryGroup,
  type SummaryRequest,
  summaryQuery,
} from '../../api/records.ts'
import { useSchema } from '../../api/schema.ts'
import { fillWithSample, useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Moment } from '../../components/moment.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { formatMoney, formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { useSave } from '../../forms/save.ts'
import { RecordName } from '../../properties/record-link.tsx'
import { type Appearance, appearanceOf, counted, useAppearance } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { closedStages } from '../open-deals.ts'
import { MyTasks, Nothing, Panel } from './my-tasks.tsx'
import { type Scale, scaleOf } from './scale.ts'

/** The start of a day: the pipeline, due tasks, recent changes. */
export function Home() {
  const { name, counts } = useWorkspace()
  // The charts ask for their figures after the lists, which are faster.
  const isDrawn = useDeferredValue(true, false)
  const isEmpty = Object.values(counts).every((count) => count === 0)
  return (
    <>
      <Header title={name} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-6 md:px-8">
        {isEmpty ? (
          <FirstSteps />
        ) : (
          <div className="mx-auto grid max-w-300 gap-x-10 gap-y-8 lg:grid-cols-2">
            {isDrawn ? <Pipeline /> : <ChartSkeleton />}
            {isDrawn ? <NewRecords /> : <ChartSkeleton />}
            <MyTasks />
            <Touched />
          </div>
        )}
      </div>
    </>
  )
}

function ChartSkeleton() {
  return <Skeleton className="h-77 w-full" />
}

/** Where nothing is yet: the ways to begin. */
function FirstSteps() {
  const slug = useSlug()
  const { role } = useWorkspace()
  const [companies, tasks] = [useAppearance('companies'), useAppearance('tasks')]
  const sample = useSave(() => fillWithSample(slug), { reload: [[slug]] })
  return (
    <EmptyState
      icon={Sprout}
      title="This workspace is new"
      text={`Add the first ${companies.one}, import a file, or create an access token and let an integration do it. This page will show your open ${tasks.many} and recent changes.`}
    >
      {roleMay(role, 'manage_fields') && (
        <div className="w-full">
          <Button look="primary" disabled={sample.isPending} onClick={() => sample.mutate()}>
            {sample.isPending ? 'Creating sample records…' : 'Fill with sample records'}
          </Button>
        </div>
      )}
      <Link to="/$workspace/$resource" params={{ workspace: slug, resource: 'companies' }} className={link}>
        Go to {companies.many}
      </Link>
      {roleMay(role, 'create') && (
        <Link to="/$workspace/$resource/import" params={{ workspace: slug, resource: 'companies' }} className={link}>
          Import a file
        </Link>
      )}
      <Link to="/$workspace/settings/$page" params={{ workspace: slug, page: 'tokens' }} className={link}>
        Create an access token
      </Link>
      {sample.error && (
        <p role="alert" className="w-full text-sm text-danger">
          {sample.error.message}
        </p>
      )}
    </EmptyState>
  )
}

const link = 'inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover'

/** The value of the open opportunities by stage. */
function Pipeline() {
  const slug = useSlug()
  const fields = useFields('opportunities')
  const amount = fields.find(({ code }) => code === 'amount')
  const stages = fields.find(({ code }) => code === 'stage')?.options ?? []
  const settings = amount?.settings ?? {}
  const words = useAppearance('opportunities')
  const { data, error, refetch } = useQuery(pipelineQuery(slug))
  const groups = data?.data ?? []
  const staged = stages.map(({ id, label }): SummaryGroup => {
    return groups.find(({ key }) => key === id) ?? { key: id, label, value: 0, count: 0 }
  })
  const closed = closedStages(fields)
  const open = [...staged, ...groups.filter(({ key }) => key === null)].filter(({ key }) => !closed.includes(key ?? ''))
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
      {data && open.every(({ count }) => count === 0) && <Nothing>No open {words.many} yet.</Nothing>}
      {data && open.some(({ count }) => count > 0) && (
        <Rows
          label={open.map((group) => `${group.label}: ${told(group, { settings, words })}`).join('. ')}
          bars={open.map((group) => ({
            name: group.label,
            parts: [{ value: Math.max(0, group.value ?? 0), color: 'var(--accent)' }],
            lines: [group.label, told(group, { settings, words })],
          }))}
          format={(value) => formatMoneyShort(value, settings)}
        />
      )}
    </Panel>
  )
}

function told(
  { value, count }: SummaryGroup,
  { settings, words }: { settings: { currency?: string }; words: Appearance },
): string {
  return `${formatMoney(value ?? 0, settings)}, ${counted(count, words)}`
}

const colours = ['var(--accent)', 'var(--chart-second)', 'var(--chart-third)'] as const

/** The resources that the chart of new records shows: those with the most records. Tasks and notes have a title. */
function useCharted(): Resource[] {
  const { counts } = useWorkspace()
  const named = [...useSchema().values()].filter(({ label }) => label === 'name')
  const most = named.toSorted((one, other) => (counts[other.type] ?? 0) - (counts[one.type] ?? 0))
  const charted = most.slice(0, colours.length)
  return named.filter((resource) => charted.includes(resource))
}

/** How many records of each resource came in a month. */
type MonthCounts = { month: string; counts: { words: Appearance; count: number }[] }

/** How many records came in each of the last twelve months. */
function NewRecords() {
  const slug = useSlug()
  const charted = useCharted()
  const results = useQueries({ queries: newRecordsQueries(slug, charted) })
  const ready = results.every(({ data }) => data)
  const failed = results.find(({ data, error }) => error && !data)
  const retry = () => {
    for (const { error, refetch } of results) if (error) void refetch()
  }
  const points = lastMonths(12).map((month): MonthCounts => {
    const counts = charted.map((resource, index) => {
      const found = results[index]?.data?.data.find(({ key }) => key === month)
      return { words: appearanceOf(resource), count: found?.count ?? 0 }
    })
    return { month, counts }
  })
  return (
    <Panel title="New records" extra={<Legend charted={charted} />}>
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {!ready && !failed && <Skeleton className="h-60 w-full" />}
      {ready && (
        <Columns
          label={points.map((point) => linesOf(point).join(', ')).join('. ')}
          bars={points.map((point) => ({
            name: monthName(point.month, 'short'),
            parts: point.counts.map(({ count }, index) => ({ value: count, color: colours[index] ?? colours[0] })),
            lines: linesOf(point),
          }))}
          format={formatNumber}
        />
      )}
    </Panel>
  )
}

function linesOf({ month, counts }: MonthCounts): string[] {
  return [monthName(month, 'long'), ...counts.map(({ words, count }) => counted(count, words))]
}

function Legend({ charted }: { charted: readonly Resource[] }) {
  return (
    <ul className="flex gap-3 text-xs">
      {charted.map((resource, index) => (
        <li key={resource.type} className="flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="size-2 shrink-0 rounded-xs" style={{ background: colours[index] }} />
          <span className="truncate">{appearanceOf(resource).name}</span>
        </li>
      ))}
    </ul>
  )
}

const SHOWN = 8

/** The records that were made or changed last, by anyone. */
function Touched() {
  const { slug, counts } = useWorkspace()
  const filled = Object.keys(counts).filter((resource) => counts[resource] !== 0)
  const results = useQueries({
    queries: filled.map((resource) => ({
      queryKey: [...recordsKey(slug, resource), 'touched'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, {
          body: { sort: '-updated_at', per_page: SHOWN },
          signal,
        }),
    })),
  })
  const failed = results.find(({ data, error }) => error && !data)
  const retry = () => {
    for (const { error, refetch } of results) if (error) void refetch()
  }
  const records = results
    .flatMap(({ data }) => data?.data ?? [])
    .sort((one, other) => other.attributes.updated_at.localeCompare(one.attributes.updated_at))
    .slice(0, SHOWN)
  return (
    <Panel title="Recently changed">
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {results.some(({ isPending }) => isPending) && records.length === 0 && <Skeleton className="mt-2 w-2/3" />}
      <ul>
        {records.map((record) => (
          <Line key={record.id} record={record} />
        ))}
      </ul>
    </Panel>
  )
}

function Line({ record }: { record: ApiRecord }) {
  const { icon: Icon, one } = useAppearance(record.type)
  const { updated_at } = record.attributes
  return (
    <li className="-mx-2 flex h-9 items-center gap-2 rounded-md px-2 hover:bg-hover">
      {record.type === 'tasks' ? (
        <TaskCheck task={record} />
      ) : (
        <Icon aria-label={one} className="size-4 shrink-0 text-faint" />
      )}
      <RecordName record={record} />
      <Moment at={updated_at} className="shrink-0 text-xs text-quiet" />
    </li>
  )
}

type Bar = {
  name: string
  /** From the axis outwards. */
  parts: readonly { value: number; color: string }[]
  /** The text while the mouse is over it, line by line. */
  lines: readonly string[]
}

type Props = {
  /** What the chart shows, as a text. */
  label: string
  bars: readonly Bar[]
  /** A mark of the scale, as a text. */
  format(value: number): string
}

/** Bars one below the other. */
function Rows({ label, bars, format }: Props) {
  const scale = scaleOf(bars.map(totalOf))
  return (
    <div role="img" aria-label={label} className="relative h-66 text-xs text-quiet">
      <div className="absolute inset-y-0 right-4 left-33">
        {scale.ticks.map((tick) => (
          <div
            key={tick}
            style={{ left: share(tick, scale) }}
            className="absolute inset-y-0 max-sm:even:[&>span]:invisible"
          >
            <div className="absolute top-0 bottom-6 border-l border-line" />
            <span className="absolute bottom-0 -translate-x-1/2">{format(tick)}</span>
          </div>
        ))}
      </div>
      <div className="absolute inset-x-0 top-0 bottom-6 flex flex-col">
        {bars.map((bar) => (
          <Tooltip key={bar.name} text={bar.lines.join('\n')} side="top">
            <div className="flex min-h-0 flex-1 items-center rounded-sm pr-4 hover:bg-hover">
              <span className="w-33 shrink-0 truncate pr-2 text-right">{bar.name}</span>
              <div className="relative flex h-3.5 min-w-0 flex-1 overflow-hidden rounded-sm">
                {bar.parts.map(({ value, color }) => (
                  <div key={color} style={{ width: share(value, scale), background: color }} className="rounded-sm" />
                ))}
              </div>
            </div>
          </Tooltip>
        ))}
      </div>
    </div>
  )
}

/** Bars side by side, for things that are counted. */
function Columns({ label, bars, format }: Props) {
  const scale = scaleOf(bars.map(totalOf), true)
  return (
    <div role="img" aria-label={label} className="relative h-66 text-xs text-quiet">
      <div className="absolute inset-x-0 top-2 bottom-7">
        {scale.ticks.map((tick) => (
          <div key={tick} style={{ bottom: share(tick, scale) }} className="absolute inset-x-0">
            <div className="absolute right-2 left-11 border-t border-line" />
            <span className="absolute left-0 w-9 -translate-y-1/2 text-right">{format(tick)}</span>
          </div>
        ))}
        <div className="absolute inset-y-0 right-2 left-11 flex">
          {bars.map((bar) => (
            <Tooltip key={bar.name} text={bar.lines.join('\n')} side="top">
              <div className="flex min-w-0 flex-1 flex-col-reverse items-center hover:bg-hover">
                {bar.parts.map(({ value, color }) => (
                  <div
                    key={color}
                    style={{ height: share(value, scale), background: color }}
                    className="w-4/5 max-w-5 shrink-0"
                  />
                ))}
              </div>
            </Tooltip>
          ))}
        </div>
      </div>
      <div className="absolute right-2 bottom-0 left-11 flex">
        {bars.map(({ name }) => (
          <span key={name} className="flex min-w-0 flex-1 justify-center whitespace-nowrap max-sm:even:invisible">
            {name}
          </span>
        ))}
      </div>
    </div>
  )
}

function totalOf({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0)
}

function share(value: number, { top }: Scale): string {
  return `${(100 * value) / top}%`
}

/** The last months up to this one, as `2026-11`, in UTC as the service counts them. */
function lastMonths(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (count - 1 - index), 1))
    return first.toISOString().slice(0, 7)
  })
}

function monthName(month: string, length: 'short' | 'long'): string {
  const year = length === 'long' ? { year: 'numeric' as const } : {}
  return new Intl.DateTimeFormat(undefined, { month: length, ...year, timeZone: 'UTC' }).format(new Date(`${month}-01`))
}

/** The value of the open opportunities by stage. */
function pipelineQuery(slug: string) {
  return summaryQuery(slug, {
    resource: 'opportunities',
    measure: 'sum',
    field: 'amount',
    group_by: 'custom_fields.stage',
  })
}

/** How many records came in each of the last twelve months. */
function newRecordsQueries(slug: string, charted: readonly Resource[]) {
  const filter = { created_at: { $gte: `${lastMonths(12)[0]}-01` } }
  return charted.map(({ type: resource }) => {
    const asked: SummaryRequest = { resource, measure: 'count', group_by: 'created_at', period: 'month', filter }
    return summaryQuery(slug, asked)
  })
}
