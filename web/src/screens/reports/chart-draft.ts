import type { Chart, ChartInput, ChartKind } from '@kith/contract/app/reports'
import { PROBABILITY_MAX } from '@kith/contract/limits'
import { CUSTOM_FIELDS, type Resource, type Schema } from '@kith/contract/resource'
import { groupNamed } from '@kith/contract/summary'
import { filterAt } from '../../properties/property.ts'
import { appearanceOf } from '../../resources.ts'
import { amountChoices, dateChoices, groupChoices, ownerChoices, personChoices, stageChoices } from './groups.ts'

export const kindWords: Readonly<Record<ChartKind, string>> = {
  bar: 'Bars',
  line: 'Line',
  number: 'Number',
  table: 'Table',
  forecast: 'Forecast',
  win_rate: 'Win rate',
  stage_time: 'Days in a stage',
}

/** Whether a chart shows a summary, and is no calculation of its own. */
export function isSummary(kind: ChartKind): boolean {
  return kind === 'bar' || kind === 'line' || kind === 'number' || kind === 'table'
}

/** A chart of a resource before anything is chosen. */
export function freshChart(resource: Resource, kind: ChartKind = 'bar'): Chart {
  const grouped = stageChoices(resource)[0] ?? groupChoices(resource)[0]
  const plain: Chart = {
    ...{ id: '', title: '', kind, resource: resource.type, filter: null, measure: 'count', field: null },
    ...{ group_by: [], period: null, limit: 50, sort: null, date: null, person: null, stage: null },
  }
  return fitted({ ...plain, group_by: isSummary(kind) && grouped ? [grouped.value] : [] }, resource)
}

/** The chart with what its kind needs, and without what it does not take. */
export function fitted(chart: Chart, resource: Resource): Chart {
  const { kind, stage, person, group_by } = chart
  const owner = ownerChoices(resource)[0]?.value ?? null
  const known = stage ?? stageChoices(resource)[0]?.value ?? null
  const byPeriod = (name: string) => ['day', 'time'].includes(groupNamed(name, resource)?.by ?? '')
  if (kind === 'number') return { ...chart, group_by: [], period: null, stage: null }
  if (isSummary(kind)) {
    const dated = group_by.some(byPeriod)
    return { ...chart, period: dated ? (chart.period ?? 'month') : null, stage: null }
  }
  const summed = { measure: 'count' as const, field: null, sort: null }
  const shared = { ...chart, ...summed, stage: known, person: person ?? owner, period: chart.period ?? 'month' }
  const own = { ...shared, group_by: group_by.filter((name) => name === shared.person) }
  if (kind === 'forecast') {
    const field = amountChoices(resource).find(({ value }) => value === chart.field) ?? amountChoices(resource)[0]
    return { ...own, field: field?.value ?? null, date: chart.date ?? dateChoices(resource)[0]?.value ?? null }
  }
  return { ...own, date: null, ...(kind === 'stage_time' && { group_by: [], period: null }) }
}

/** What is sent: the service gives a new chart its id. */
export function inputOf({ id, ...chart }: Chart): ChartInput {
  return id === '' ? chart : { id, ...chart }
}

/** The charts that an empty report offers, for the resource with deals; none without one. */
export function readyCharts(schema: Schema): ChartInput[] {
  const resource = [...schema.values()].find((one) => amountChoices(one).length > 0 && stageOf(one) !== undefined)
  const stage = resource && stageOf(resource)
  if (!resource || !stage) return []
  const [amount] = amountChoices(resource)
  const [date] = dateChoices(resource)
  const [person] = personChoices(resource)
  const { many } = appearanceOf(resource)
  const ids = (fits: (probability: number | undefined) => boolean) => {
    return stage.options.filter(({ probability }) => fits(probability)).map(({ id }) => id)
  }
  const [won, open] = [
    ids((probability) => probability === PROBABILITY_MAX),
    ids((probability) => probability !== PROBABILITY_MAX && probability !== 0),
  ]
  const name = CUSTOM_FIELDS + stage.code
  const sum = { measure: 'sum', field: amount?.value ?? null } as const
  const charts: Chart[] = [
    {
      ...freshChart(resource),
      ...sum,
      title: 'Pipeline by stage',
      filter: filterAt(name, { $in: open }),
      group_by: [name],
    },
    {
      ...{ ...freshChart(resource), ...sum, title: 'Won by month', filter: filterAt(name, { $in: won }) },
      ...{ group_by: [date?.value ?? 'created_at'], period: 'month', date: date?.value ?? null },
    },
    {
      ...{ ...freshChart(resource, 'table'), ...sum, title: `My open ${many}`, group_by: [name] },
      filter: { ...filterAt(name, { $in: open }), ...(person && { $and: [filterAt(person.value, { $in: ['me'] })] }) },
    },
  ]
  return charts.map(inputOf)
}

/** The first choice whose options have probabilities. */
function stageOf(resource: Resource) {
  return resource.fields.list.find(({ options }) => options.some(({ probability }) => probability === PROBABILITY_MAX))
}
