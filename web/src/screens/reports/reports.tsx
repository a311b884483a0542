import type { Chart, ChartInput, Report } from '@kith/contract/app/reports'
import { CHARTS_PER_REPORT_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChartColumn, ChevronDown, Download, Pencil, Plus, Trash2, UsersRound } from 'lucide-react'
import { useRef, useState } from 'react'
import { changeCharts, createReport, deleteReport, reportsQuery } from '../../api/reports.ts'
import { useSchema } from '../../api/schema.ts'
import { sessionQuery } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { useAction, useSave } from '../../forms/save.ts'
import { Header } from '../../shell/header.tsx'
import { ChartCard } from './chart-card.tsx'
import type { ChartData } from './chart-data.ts'
import { ChartDialog } from './chart-dialog.tsx'
import { freshChart, inputOf, readyCharts } from './chart-draft.ts'
import { fileName, reportCsv, saveFile } from './chart-files.ts'
import { FilterBar } from './filter-bar.tsx'
import { ReportDialog } from './report-dialog.tsx'
import type { ReportFilter } from './report-filter.ts'

const route = getRouteApi('/$workspace/reports')

/** The reports of a workspace: one of them is open. */
export function Reports() {
  const slug = useSlug()
  const { report: id, ...filter } = route.useSearch()
  const { data: reports, error, refetch } = useQuery(reportsQuery(slug))
  const report = reports?.find((one) => one.id === id) ?? (id === undefined ? reports?.[0] : undefined)
  if (report && reports) return <OpenReport key={report.id} report={report} reports={reports} filter={filter} />
  return (
    <>
      <Header icon={<ChartColumn aria-hidden />} title="Reports">
        {reports && <ReportMenu report={undefined} reports={reports} />}
      </Header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error && <ErrorState error={error} onRetry={refetch} />}
        {!reports && !error && <Skeleton className="m-8 h-60" />}
        {reports && <NoReport missing={id !== undefined} />}
      </div>
    </>
  )
}

function NoReport({ missing }: { missing: boolean }) {
  const slug = useSlug()
  const open = useOpenReport()
  const ready = readyCharts(useSchema())
  const [naming, setNaming] = useState(false)
  const making = useSave(() => createReport(slug, { name: 'Sales', shared: false, charts: ready }), {
    reload: [reportsQuery(slug).queryKey],
    next: open,
  })
  return (
    <EmptyState
      icon={ChartColumn}
      title={missing ? 'This report does not exist' : 'No reports yet'}
      text={
        missing
          ? 'It was deleted, or is not shared with you.'
          : 'A report has charts of any list, with a period and a person for all of them.'
      }
    >
      {ready.length > 0 && (
        <Button look="primary" disabled={making.isPending} onClick={() => making.mutate()}>
          Start with three charts
        </Button>
      )}
      <Button onClick={() => setNaming(true)}>Empty report</Button>
      <p className="w-full text-xs text-faint">{ready.map(({ title }) => title).join(' · ')}</p>
      {making.error && (
        <p role="alert" className="w-full text-sm text-danger">
          {making.error.message}
        </p>
      )}
      {naming && <ReportDialog report={undefined} charts={[]} onClose={() => setNaming(false)} onSaved={open} />}
    </EmptyState>
  )
}

/** Opens a report with the period and the person that are chosen. */
function useOpenReport(): (report: Pick<Report, 'id'>) => void {
  const navigate = useNavigate()
  const workspace = useSlug()
  const { report: _, ...filter } = route.useSearch()
  return ({ id }) => {
    void navigate({ to: '/$workspace/reports', params: { workspace }, search: { ...filter, report: id } })
  }
}

function useChanges(report: Report) {
  const slug = useSlug()
  const queries = useQueryClient()
  const { queryKey } = reportsQuery(slug)
  const change = async (to: (charts: readonly Chart[]) => readonly ChartInput[]) => {
    const changed = await changeCharts(slug, report.id, to)
    queries.setQueryData<Report[]>(queryKey, (all) => all?.map((one) => (one.id === changed.id ? changed : one)))
    return changed
  }
  return { change, reload: [queryKey] }
}

function OpenReport(props: { report: Report; reports: readonly Report[]; filter: ReportFilter }) {
  const { report, reports, filter } = props
  const schema = useSchema()
  const { change, reload } = useChanges(report)
  const mayChange = useMayChange(report)
  const [edited, setEdited] = useState<Chart>()
  const shown = useRef(new Map<string, ChartData | undefined>())
  const [first] = schema.values()
  const saving = useSave((chart: Chart) => change((charts) => withChart(charts, chart)), {
    reload,
    next: () => setEdited(undefined),
  })
  const acting = useAction(change, { reload })
  const ready = readyCharts(schema)
  const exportAll = () => {
    const charts = report.charts.flatMap(({ id, title }) => {
      const data = shown.current.get(id)
      return data ? [{ title, data }] : []
    })
    saveFile(fileName(report.name, 'csv'), new Blob([reportCsv(charts)], { type: 'text/csv' }))
  }
  const deal = [...schema.values()].find(({ type }) => type === ready[0]?.resource) ?? first
  const isFull = report.charts.length >= CHARTS_PER_REPORT_MAX
  return (
    <>
      <Header icon={<ChartColumn aria-hidden />} title={report.name} tab={report.name}>
        <ReportMenu report={report} reports={reports} onExport={exportAll} />
        {mayChange && deal && (
          <Button disabled={isFull} onClick={() => setEdited(freshChart(deal))} className="max-sm:px-2">
            <Plus aria-hidden />
            <span className="max-sm:sr-only">Make a chart</span>
          </Button>
        )}
      </Header>
      <FilterBar filter={filter} />
      <div className="min-h-0 flex-1 overflow-y-auto p-4 md:p-6">
        {report.charts.length === 0 && (
          <EmptyState
            icon={ChartColumn}
            title="No charts yet"
            text="Make a chart here, or choose “Add to report” in the menu of any list or board."
          >
            {mayChange && ready.length > 0 && (
              <Button disabled={acting.isPending} onClick={() => acting.mutate((charts) => [...charts, ...ready])}>
                Add three ready charts
              </Button>
            )}
          </EmptyState>
        )}
        <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
          {report.charts.map((chart, place) => (
            <ChartCard
              key={chart.id}
              chart={chart}
              filter={filter}
              place={{ first: place === 0, last: place === report.charts.length - 1 }}
              mayChange={mayChange}
              onData={(data) => shown.current.set(chart.id, data)}
              onEdit={() => setEdited(chart)}
              onMove={(by) => acting.mutate((charts) => moved(charts, chart.id, by))}
              onRemove={() => acting.mutate((charts) => charts.filter(({ id }) => id !== chart.id))}
            />
          ))}
        </div>
      </div>
      {edited && (
        <ChartDialog
          title={edited.id === '' ? 'Make a chart' : 'Change the chart'}
          start={edited}
          saving={saving}
          onSave={(chart) => saving.mutate(chart)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

/** The charts with one that is new or changed. A chart that somebody has removed meanwhile is added again. */
function withChart(charts: readonly Chart[], chart: Chart): ChartInput[] {
  const isThere = charts.some(({ id }) => id === chart.id)
  return isThere ? charts.map((one) => (one.id === chart.id ? chart : one)) : [...charts, inputOf(chart)]
}

function moved(charts: readonly Chart[], id: string, by: number): readonly Chart[] {
  const place = charts.findIndex((chart) => chart.id === id)
  const chart = charts[place]
  return chart ? charts.toSpliced(place, 1).toSpliced(Math.max(0, place + by), 0, chart) : charts
}

/** Members change shared reports, too. */
function useMayChange(report: Report): boolean {
  const { role } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  return report.owner?.id === session?.user.id || roleMay(role, 'share_views')
}

/** The other reports, and what can be done with the open one. */
function ReportMenu(props: { report: Report | undefined; reports: readonly Report[]; onExport?(): void }) {
  const { report, reports, onExport } = props
  const slug = useSlug()
  const open = useOpenReport()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'new' | 'rename' | 'delete'>()
  const deleting = useAction(() => (report ? deleteReport(slug, report.id) : Promise.resolve()), {
    reload: [reportsQuery(slug).queryKey],
    next: () => navigate({ to: '/$workspace/reports', params: { workspace: slug }, search: {} }),
  })
  const mayChange = useMayChange(report ?? NO_REPORT)
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <Button look="quiet" className="max-sm:px-2">
            Reports
            <ChevronDown aria-hidden />
          </Button>
        </MenuTrigger>
        <MenuContent align="end" className="w-60">
          {reports.length > 0 && <MenuLabel>Reports</MenuLabel>}
          {reports.map((one) => (
            <MenuItem key={one.id} icon={one.shared ? <UsersRound /> : <ChartColumn />} onSelect={() => open(one)}>
              {one.name}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem icon={<Plus />} onSelect={() => setAsked('new')}>
            New report
          </MenuItem>
          {report && (
            <>
              <MenuItem icon={<Download />} disabled={report.charts.length === 0} onSelect={onExport}>
                Export all as CSV
              </MenuItem>
              {mayChange && (
                <>
                  <MenuItem icon={<Pencil />} onSelect={() => setAsked('rename')}>
                    Rename or share
                  </MenuItem>
                  <MenuItem icon={<Trash2 />} danger onSelect={() => setAsked('delete')}>
                    Delete the report
                  </MenuItem>
                </>
              )}
            </>
          )}
        </MenuContent>
      </Menu>
      {(asked === 'new' || asked === 'rename') && (
        <ReportDialog
          report={asked === 'rename' ? report : undefined}
          charts={[]}
          onClose={() => setAsked(undefined)}
          onSaved={(saved) => {
            setAsked(undefined)
            open(saved)
          }}
        />
      )}
      {report && (
        <Confirm
          open={asked === 'delete'}
          onOpenChange={() => setAsked(undefined)}
          title={`Delete ${report.name}?`}
          action="Delete the report"
          onConfirm={() => deleting.mutate()}
        >
          Its charts are deleted with it. The records stay.
        </Confirm>
      )}
    </>
  )
}

const NO_REPORT: Report = { id: '', name: '', shared: false, owner: null, charts: [], position: 1, version: 1 }
