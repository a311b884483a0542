import type { Chart, Forecast, StageTimes, WinRate } from '@kith/contract/app/reports'
import { addDays, startOfDay } from '@kith/contract/relative/periods'
import { type Reader, resolveFilter } from '@kith/contract/relative/resolve-filter'
import type { Resource } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { figuresQuery, summaryPath } from '../../api/reports.ts'
import { useSlug } from '../../api/workspace.ts'
import { useReader } from '../records/relative/use-reader.ts'
import { type ChartData, forecastData, type Summary, stageTimeData, summaryData, winRateData } from './chart-data.ts'
import { dateOf, statedFilter } from './chart-filter.ts'
import { daysIn } from './periods.ts'
import type { ReportFilter } from './report-filter.ts'

type Figures = { data: ChartData | undefined; error: Error | null; retry(): void; isOld: boolean }

/** What a chart shows of the records that meet its filter, the period and the person. */
export function useFigures(chart: Chart, filter: ReportFilter, resource: Resource): Figures {
  const slug = useSlug()
  const stated = statedFilter(chart, filter, resource)
  const reader = useReader(stated)
  const asked = askedOf(chart, { stated, period: filter.period, resource, reader })
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...figuresQuery<unknown>(slug, asked.path, asked.body),
    placeholderData: (previous, query) => {
      const [, , path, body] = query?.queryKey ?? []
      return path === asked.path && isSameBut(body, asked.body, 'filter') ? previous : undefined
    },
    retry: false,
  })
  const shown = data === undefined ? undefined : asked.present(data)
  return { data: shown, error, retry: refetch, isOld: isPlaceholderData }
}

/** While only the filter changes, the earlier figures stay. Those of another kind of chart could not be drawn. */
function isSameBut(one: unknown, other: object, name: string): boolean {
  const rest = (body: object) => JSON.stringify({ ...body, [name]: null })
  return typeof one === 'object' && one !== null && rest(one) === rest(other)
}

type FiguresRequest = { path: string; body: object; present(answer: unknown): ChartData }

function askedOf(
  chart: Chart,
  asked: { stated: object | undefined; period: string | undefined; resource: Resource; reader: Reader },
): FiguresRequest {
  const { stated, period, resource, reader } = asked
  const filter = (stated && resolveFilter({ ...stated }, { resource, reader })) ?? null
  const { kind, stage, person } = chart
  const zone = { time_zone: reader.timeZone }
  const moments = momentsOf(period, reader)
  // The tests of the service check its answers.
  const as =
    <Answer>(present: (answer: Answer) => ChartData) =>
    (answer: unknown) =>
      present(answer as Answer)
  switch (kind) {
    case 'forecast':
      return {
        path: 'reports/forecast',
        body: {
          ...{ resource: resource.type, filter, stage, person, field: chart.field },
          ...{ date: dateOf(chart, resource), period: chart.period ?? 'month', ...zone },
        },
        present: as(({ data }: { data: Forecast }) => forecastData(data, chart, resource)),
      }
    case 'win_rate':
      return {
        path: 'reports/win-rate',
        body: { resource: resource.type, filter, stage, person, period: chart.period ?? 'month', ...zone, ...moments },
        present: as(({ data }: { data: WinRate }) => winRateData(data, chart, moments.from)),
      }
    case 'stage_time':
      return {
        path: 'reports/stage-times',
        body: { resource: resource.type, filter, stage, ...moments },
        present: as(({ data }: { data: StageTimes }) => {
          return stageTimeData(data, chart, { from: moments.from, resource })
        }),
      }
    default: {
      const { measure, field, group_by, sort, limit } = chart
      return {
        path: summaryPath(resource.type),
        body: { filter, measure, field, group_by, period: chart.period, sort, limit, ...zone },
        present: as((answer: Summary) => summaryData(answer, chart, resource)),
      }
    }
  }
}

/** The period by the clock of the reader. */
function momentsOf(period: string | undefined, reader: Reader): { from?: string; until?: string } {
  const days = daysIn(period, reader)
  if (!days) return {}
  const start = (day: string) => startOfDay(day, reader.timeZone).toISOString()
  return { from: start(days.first), until: start(addDays(days.last, 1)) }
}
