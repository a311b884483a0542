import type { Chart } from '@kith/contract/app/reports'
import { allOf } from '@kith/contract/relative/all-of'
import type { Resource } from '@kith/contract/resource'
import { groupNamed } from '@kith/contract/summary'
import { filterAt } from '../../properties/property.ts'
import type { FilterObject } from '../records/list-state.ts'
import { personChoices } from './groups.ts'
import { periodTest } from './periods.ts'
import type { ReportFilter } from './report-filter.ts'

/** The date to which the period applies: the chosen one, the one that makes the groups, or that of the creation. */
export function dateOf({ date, group_by }: Pick<Chart, 'date' | 'group_by'>, resource: Resource): string {
  const grouped = group_by.find((name) => {
    const group = groupNamed(name, resource)
    return group && !group.through && (group.by === 'day' || group.by === 'time')
  })
  return date ?? grouped ?? 'created_at'
}

/** The members to whom the person applies. */
export function personOf({ person }: Pick<Chart, 'person'>, resource: Resource): string | undefined {
  return person ?? personChoices(resource)[0]?.value
}

/** Charts of the history have no date: the period is that of the changes. */
function isOfHistory({ kind }: Pick<Chart, 'kind'>): boolean {
  return kind === 'win_rate' || kind === 'stage_time'
}

/** The filter of a chart with the period and the person of the report, in the words of a list. */
export function statedFilter(
  chart: Chart,
  { period, person }: ReportFilter,
  resource: Resource,
): FilterObject | undefined {
  const who = personOf(chart, resource)
  const parts = [
    chart.filter ?? undefined,
    period !== undefined && !isOfHistory(chart) ? filterAt(dateOf(chart, resource), periodTest(period)) : undefined,
    person !== undefined && who !== undefined ? filterAt(who, { $in: [person] }) : undefined,
  ]
  return allOf(parts.filter((part) => part !== undefined))
}
