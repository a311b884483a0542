import type { Chart } from '@kith/contract/app/reports'
import type { Resource } from '@kith/contract/resource'
import { useEffect, useRef, useState } from 'react'
import { useSchema } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Skeleton } from '../../components/states.tsx'
import { joined } from '../records/list-query.ts'
import type { FilterObject } from '../records/list-state.ts'
import type { ChartData } from './chart-data.ts'
import { statedFilter } from './chart-filter.ts'
import { Bars } from './charts/bars.tsx'
import { Lines } from './charts/lines.tsx'
import type { OpenList, PlotProps } from './charts/plot.ts'
import type { ReportFilter } from './report-filter.ts'
import { useFigures } from './use-figures.ts'

type Props = {
  chart: Chart
  filter: ReportFilter
  /** Whether the table behind the chart is shown in its place. */
  asTable: boolean
  /** Called with what is shown, for files. */
  onData?(data: ChartData | undefined): void
}

/** A chart with its states. What is wrong with one chart is said in its place; the others are not concerned. */
export function ChartBody(props: Props) {
  const schema = useSchema()
  const { resource: name } = props.chart
  const resource = schema.get(name)
  if (resource) return <Known {...props} resource={resource} />
  const reason = schema.archived.has(name) ? 'is archived' : 'does not exist any more'
  return <Problem text={`The resource ${name} ${reason}. Restore it, or remove this chart.`} />
}

function Known({ chart, filter, asTable, onData, resource }: Props & { resource: Resource }) {
  const { data, error, retry, isOld } = useFigures(chart, filter, resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each new answer
  useEffect(() => onData?.(error ? undefined : data), [JSON.stringify(data), error])
  const open = opening(chart, filter, resource, useSlug())
  if (error) return <Problem text={error.message} onRetry={retry} />
  if (!data) return <Skeleton className="h-60 w-full" />
  return (
    <div className={classNames('grid gap-2', isOld && 'opacity-60')} aria-busy={isOld}>
      <Drawn chart={chart} data={data} asTable={asTable} open={open} />
      {data.notes.map((note) => (
        <p key={note} className="text-xs text-quiet">
          {note}
        </p>
      ))}
    </div>
  )
}

function opening(chart: Chart, filter: ReportFilter, resource: Resource, workspace: string): OpenList {
  const stated = statedFilter(chart, filter, resource)
  return (own: FilterObject) => {
    const both = joined(stated, own)
    const search = both ? { filter: both } : {}
    return { to: '/$workspace/$resource', params: { workspace, resource: resource.type }, search }
  }
}

function Drawn(props: { chart: Chart; data: ChartData; asTable: boolean; open: OpenList }) {
  const { chart, data, asTable, open } = props
  const { kind, title } = chart
  if (kind === 'number') return <Figure data={data} />
  const isEmpty = data.series.every(({ marks }) => marks.every(({ value }) => value === null || value === 0))
  if (isEmpty && data.rows.length === 0) return <p className="py-10 text-center text-sm text-quiet">No records yet.</p>
  const isTable = asTable || kind === 'table'
  return (
    <>
      {!isTable && <Plot of={kind === 'line' ? Lines : Bars} title={title} data={data} open={open} />}
      <FigureTable title={title} data={data} hidden={!isTable} />
    </>
  )
}

/** Draws a chart as wide as its place. */
function Plot({ of: Drawing, ...plot }: Omit<PlotProps, 'width'> & { of: typeof Bars }) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} className="w-full min-w-0 overflow-hidden">
      {width > 0 && <Drawing {...plot} width={width} />}
    </div>
  )
}

/** One number, and of how many records it is. */
function Figure({ data }: { data: ChartData }) {
  const [first] = data.rows
  const [value, count] = first ?? []
  return (
    <p className="py-4">
      <span className="block text-4xl font-semibold tabular-nums wrap-anywhere">{value?.shown || '–'}</span>
      {count && <span className="text-sm text-quiet">{count.shown} records</span>}
    </p>
  )
}

/** The same figures as a table: for screen readers always, for everybody on demand. */
function FigureTable({ title, data, hidden }: { title: string; data: ChartData; hidden: boolean }) {
  return (
    <div className={hidden ? 'sr-only' : 'max-h-96 overflow-auto'} tabIndex={hidden ? undefined : 0}>
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            {data.head.map((name, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              <th key={place} scope="col" className={headLook(data, place)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing but their place
            <tr key={line} className="border-b border-line">
              {row.map((cell, place) =>
                place === 0 ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  <th key={place} scope="row" className="py-1.5 pr-3 text-left font-normal wrap-anywhere">
                    {cell.shown}
                  </th>
                ) : (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: see above
                    key={place}
                    className={isNumeric(data, place) ? 'py-1.5 pl-3 text-right tabular-nums' : 'py-1.5 pr-3'}
                  >
                    {cell.shown}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function isNumeric({ rows }: ChartData, place: number): boolean {
  return rows.some((row) => typeof row[place]?.raw === 'number')
}

function headLook(data: ChartData, place: number): string {
  const side = place > 0 && isNumeric(data, place) ? 'pl-3 text-right' : 'pr-3 text-left'
  return `${side} sticky top-0 border-b border-edge bg-paper py-1.5 text-xs font-medium text-quiet`
}

function Problem({ text, onRetry }: { text: string; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="grid justify-items-start gap-2 rounded-md bg-danger-soft px-3 py-3 text-sm text-danger"
    >
      <p className="wrap-anywhere">{text}</p>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
