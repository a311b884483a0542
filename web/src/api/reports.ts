import type { Chart, ChartInput, Report } from '@kith/contract/app/reports'
import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call, callForData, dataQuery } from './call.ts'

/** The reports that this member sees. */
export function reportsQuery(slug: string) {
  return dataQuery<Report[]>([slug, 'reports'], `/w/${slug}/reports`)
}

type ReportInput = { name: string; shared: boolean; charts: readonly ChartInput[] }

export function createReport(slug: string, input: ReportInput): Promise<Report> {
  return callForData('POST', `/w/${slug}/reports`, { body: input })
}

export function updateReport(slug: string, id: string, input: Partial<Omit<ReportInput, 'charts'>>): Promise<Report> {
  return callForData('PATCH', `/w/${slug}/reports/${id}`, { body: input })
}

export function deleteReport(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/reports/${id}`)
}

const TRIES = 5

/**
 * Changes the charts of a report as it is now. If somebody else was faster, the change is made to what they have
 * stored, so that neither change is lost.
 */
export async function changeCharts(
  slug: string,
  id: string,
  change: (charts: readonly Chart[]) => readonly ChartInput[],
): Promise<Report> {
  for (let tried = 1; ; tried++) {
    const reports = await callForData<Report[]>('GET', `/w/${slug}/reports`)
    const report = reports.find((one) => one.id === id)
    if (!report) throw new Error('The report does not exist any more.')
    const body = { charts: change(report.charts), version: report.version }
    try {
      return await callForData<Report>('PATCH', `/w/${slug}/reports/${id}`, { body })
    } catch (error) {
      if (!(error instanceof KithError) || error.kind !== 'precondition_failed' || tried === TRIES) throw error
    }
  }
}

/** The figures of a chart: a summary of the records, or a calculation. They are loaded again when records change. */
export function figuresQuery<Answer>(slug: string, path: string, body: object) {
  return queryOptions({
    queryKey: [slug, 'summaries', path, body],
    queryFn: ({ signal }) => call<Answer>('POST', `/w/${slug}/${path}`, { body, signal }),
  })
}

/** Where the figures of a summary come from. */
export function summaryPath(resource: ResourceName): string {
  return `v1/${resource}/summary`
}
