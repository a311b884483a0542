import { isDeepStrictEqual } from 'node:util'
import { type Chart, chartInput } from '@kith/contract/app/reports'
import { newId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { CHARTS_PER_REPORT_MAX, REPORT_MAX_BYTES } from '@kith/contract/limits'
import { isDeep, isObject, NESTING_MAX, unstorable } from '@kith/contract/raw-input'
import { resolveFilter } from '@kith/contract/relative/resolve-filter'
import type { Resource } from '@kith/contract/resource'
import { readObject } from '@kith/contract/shape'
import { parseSummary } from '@kith/contract/summary'
import { parseResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { parseDate, parsePerson, parseStage } from './parse-properties.ts'

/**
 * Reads the charts of a report. One that is sent as it is stored is not checked again: a field that it names may have
 * been archived since, which does not prevent changes of the others.
 */
export function parseCharts(
  scope: Scope,
  { raw, before }: { raw: unknown; before: readonly Chart[] },
  report: Report,
): Chart[] {
  if (!Array.isArray(raw)) {
    report('charts', 'The charts must be a list.')
    return []
  }
  if (raw.length > CHARTS_PER_REPORT_MAX) {
    report('charts', `A report must not have more than ${CHARTS_PER_REPORT_MAX} charts.`)
    return []
  }
  if (isDeep(raw)) {
    report('charts', `The charts must not be nested deeper than ${NESTING_MAX} levels.`)
    return []
  }
  const charts = raw.map((sent, index) => {
    const stored = before.find((chart) => isDeepStrictEqual(chart, sent))
    return stored ?? parseChart(scope, { raw: sent, path: `charts.${index}` }, report)
  })
  if (new Set(charts.map(({ id }) => id)).size < charts.length) report('charts', 'Two charts have the same ID.')
  const text = JSON.stringify(charts)
  const problem = unstorable(text)
  if (problem !== undefined) report('charts', `The charts ${problem}.`)
  if (Buffer.byteLength(text) > REPORT_MAX_BYTES) {
    report('charts', `The charts must not be larger than ${REPORT_MAX_BYTES / 1024} KB.`)
  }
  return charts
}

function parseChart(scope: Scope, { raw, path }: { raw: unknown; path: string }, report: Report): Chart {
  const { id, ...chart } = readObject(raw, chartInput, report, { path })
  const resource = scope.schema.get(chart.resource)
  const at: Report = (name, message) => report(`${path}.${name}`, message)
  if (resource) checkChart(scope, { ...chart, id: '' }, { resource, report: at })
  else if (isObject(raw) && typeof raw.resource === 'string')
    parseResource(scope.schema, raw.resource, report, `${path}.resource`)
  return { id: id || newId(scope.now().getTime()), ...chart }
}

/** With the parsers that will read the chart when it is shown. */
function checkChart(scope: Scope, chart: Chart, { resource, report }: { resource: Resource; report: Report }): void {
  const { kind, measure, field, group_by, period, sort, limit } = chart
  const filter = checkable(scope, chart, resource)
  if (kind === 'bar' || kind === 'line' || kind === 'number' || kind === 'table') {
    parseSummary({ filter, measure, field, group_by, period, sort, limit }, resource, report)
  } else {
    parseSummary({ filter }, resource, report)
    parseStage(chart.stage, resource, report)
    const other = group_by.find((name) => name !== chart.person)
    if (other !== undefined) report('group_by', 'Without groups it is by period. The only group is the person.')
  }
  if (kind === 'forecast') parseSummary({ measure: 'sum', field }, resource, report)
  if (chart.date !== null || kind === 'forecast') parseDate(chart.date, resource, report)
  if (chart.person !== null) parsePerson(chart.person, resource, report)
}

/** The filter with the days and the person of its sender. */
function checkable(scope: Scope, { filter }: Chart, resource: Resource): unknown {
  if (!isObject(filter)) return filter
  const reader = { me: scope.actor.user_id, now: scope.now(), timeZone: 'UTC', weekStart: 1 }
  return resolveFilter(filter, { resource, reader })
}
