import type { Chart, Forecast, Key, StageTimes, WinRate } from '@kith/contract/app/reports'
import { AUDIT_DAYS } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import { groupNamed, type SummaryMeta, type SummaryRow } from '@kith/contract/summary'
import { formatCount, formatMoney, formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { filterAt } from '../../properties/property.ts'
import type { FilterObject } from '../records/list-state.ts'
import { filterOfGroup, groupLabel } from './groups.ts'
import { idLabel } from './periods.ts'

/** A cell of the table behind a chart: what is shown, and what a file has. */
export type TableCell = { shown: string; raw: string | number | null }

/** A bar or a point. `filter` finds its records. */
export type Mark = { value: number | null; told: string; filter?: FilterObject | undefined }

/** A chart as it is drawn, and the same as a table. */
export type ChartData = {
  /** In their order along the axis. */
  labels: readonly string[]
  /** Whether the labels are periods. */
  isTime: boolean
  series: readonly { name: string; marks: readonly Mark[] }[]
  /** Whether the parts of a bar add up to something. */
  stacked: boolean
  /** Whether the values are whole numbers. */
  whole: boolean
  /** A mark of the axis, and a value at its bar. */
  short(value: number): string
  head: readonly string[]
  rows: readonly (readonly TableCell[])[]
  /** What a reader must know. */
  notes: readonly string[]
}

export type Summary = { data: SummaryRow[]; meta: SummaryMeta }

/** What a measure is called: "Sum of Amount". */
export function measureLabel({ measure, field }: Pick<Chart, 'measure' | 'field'>, resource: Resource): string {
  if (measure === 'count') return 'Records'
  return `${words[measure]} ${field === null ? '' : groupOrField(field, resource)}`
}

const words = {
  sum: 'Sum of',
  average: 'Average of',
  smallest: 'Smallest',
  largest: 'Largest',
  filled: 'With',
  distinct: 'Different',
} as const

function groupOrField(name: string, resource: Resource): string {
  const code = name.replace(/^custom_fields\./, '')
  return resource.fields.byCode.get(code)?.name ?? groupLabel(name, resource)
}

const text = (shown: string): TableCell => ({ shown, raw: shown })
const number = (raw: number | null, shown: string): TableCell => ({ shown, raw })

type Formats = { full(value: number): string; short(value: number): string }

function moneyFormats(currency: string | null): Formats {
  if (currency === null) return { full: formatNumber, short: formatNumber }
  return {
    full: (value) => formatMoney(value, { currency }),
    short: (value) => formatMoneyShort(value, { currency }),
  }
}

/** More series than these cannot be told apart: the smallest are one. */
const SERIES_MAX = 6

/** The groups of a summary. With two groupings, the second one makes the series. */
export function summaryData({ data, meta }: Summary, chart: Chart, resource: Resource): ChartData {
  const [first, second] = chart.group_by
  const isMoney = meta.currency !== null && ['sum', 'average', 'smallest', 'largest'].includes(meta.measure)
  const { full, short } = moneyFormats(isMoney ? meta.currency : null)
  const measure = measureLabel(chart, resource)
  const labelOf = (name: string | undefined, key: Key | undefined) => {
    if (!key || name === undefined) return 'All'
    return key.id === null ? 'Empty' : isDated(name, resource) ? idLabel(key.id) : key.label
  }
  const filterOf = ({ keys }: SummaryRow) => filtersOf(keys, chart, resource)
  const told = ({ value, count }: Pick<SummaryRow, 'value' | 'count'>) => {
    const shown = typeof value === 'number' ? full(value) : (value ?? '–')
    return chart.measure === 'count' ? shown : `${shown}, ${formatCount(count, 'record')}`
  }
  const mark = (row: SummaryRow): Mark => {
    return { value: typeof row.value === 'number' ? row.value : null, told: told(row), filter: filterOf(row) }
  }
  const cells = ({ value, count }: Pick<SummaryRow, 'value' | 'count'>): TableCell[] => {
    const shown = typeof value === 'number' ? number(value, full(value)) : text(value ?? '')
    return chart.measure === 'count' ? [shown] : [shown, number(count, formatNumber(count))]
  }
  const { other } = meta
  const rest = other ? [[...chart.group_by.map((_, place) => text(place === 0 ? 'Other' : '')), ...cells(other)]] : []
  const counted = chart.measure === 'count' ? [] : ['Records']
  const shared = {
    head: [...chart.group_by.map((name) => groupLabel(name, resource)), measure, ...counted],
    rows: [
      ...data.map((row) => [...row.keys.map((key, place) => text(labelOf(chart.group_by[place], key))), ...cells(row)]),
      ...rest,
    ],
    notes: other ? [`${formatCount(meta.total_groups - data.length, 'more group')}: ${told(other)}.`] : [],
    whole: ['count', 'filled', 'distinct'].includes(chart.measure),
    isTime: first !== undefined && isDated(first, resource),
    short,
  }
  if (second === undefined) {
    const labels = data.map(({ keys }) => labelOf(first, keys[0]))
    return { ...shared, labels, stacked: false, series: [{ name: measure, marks: data.map(mark) }] }
  }
  return {
    ...shared,
    ...crossed(data, { mark, labelOf, names: [first ?? '', second], order: optionIds(second, resource) }),
    stacked: shared.whole || chart.measure === 'sum',
  }
}

function isDated(name: string, resource: Resource): boolean {
  const by = groupNamed(name, resource)?.by
  return by === 'day' || by === 'time'
}

function filtersOf(keys: SummaryRow['keys'], chart: Chart, resource: Resource): FilterObject | undefined {
  const parts = keys.map(({ id }, place) => filterOfGroup(chart.group_by[place] ?? '', id, resource))
  if (parts.some((part) => part === undefined)) return undefined
  return { $and: parts }
}

/** Two groupings: the values of the first along the axis, those of the second as series. */
function crossed(
  data: readonly SummaryRow[],
  {
    mark,
    labelOf,
    names,
    order,
  }: {
    mark(row: SummaryRow): Mark
    labelOf(name: string, key: Key | undefined): string
    names: readonly [string, string]
    /** The options of the second one, if it is a choice. */
    order: readonly string[]
  },
): Pick<ChartData, 'labels' | 'series'> {
  const places = distinct(data.map(({ keys }) => keys[0]))
  const found = distinct(data.map(({ keys }) => keys[1]))
  const seconds = order.length === 0 ? found : found.toSorted((one, other) => place(one, order) - place(other, order))
  const sizes = new Map<string | null, number>()
  for (const { keys, value, count } of data) {
    const id = keys[1]?.id ?? null
    sizes.set(id, (sizes.get(id) ?? 0) + Math.abs(typeof value === 'number' ? value : count))
  }
  const largest = seconds.toSorted((one, other) => (sizes.get(other.id) ?? 0) - (sizes.get(one.id) ?? 0))
  const shown = seconds.filter((key) => seconds.length <= SERIES_MAX || largest.indexOf(key) < SERIES_MAX - 1)
  const series = shown.map((key) => {
    const marks = places.map(({ id }): Mark => {
      const row = data.find(({ keys }) => keys[0]?.id === id && keys[1]?.id === key.id)
      return row ? mark(row) : { value: null, told: '0' }
    })
    return { name: labelOf(names[1], key), marks }
  })
  const labels = places.map((key) => labelOf(names[0], key))
  if (shown.length === seconds.length) return { labels, series }
  const others = places.map(({ id }): Mark => {
    const rows = data.filter(({ keys }) => keys[0]?.id === id && !shown.some((key) => key.id === keys[1]?.id))
    const value = rows.reduce((sum, row) => sum + (typeof row.value === 'number' ? row.value : 0), 0)
    return { value, told: formatNumber(value) }
  })
  return { labels, series: [...series, { name: 'Other', marks: others }] }
}

/** What is empty comes last. */
function place({ id }: Key, order: readonly string[]): number {
  const found = order.indexOf(id ?? '')
  return found < 0 ? order.length : found
}

function optionIds(name: string, resource: Resource): string[] {
  const property = groupNamed(name, resource)?.property
  return property?.of === 'field' ? property.field.options.map(({ id }) => id) : []
}

function distinct(keys: readonly (Key | undefined)[]): Key[] {
  return [...new Map(keys.map((key) => [key?.id ?? null, key ?? { id: null, label: 'Empty' }])).values()]
}

const NO_DATE = 'No close date'
const NO_OWNER = 'No owner'

/** Without gaps, so that equal times are equally far apart. What has no date comes last. */
function allPeriods(periods: readonly string[], rows: readonly { period: Key }[]): Key[] {
  const undated = rows.some(({ period }) => period.id === null) ? [{ id: null, label: NO_DATE }] : []
  return [...periods.map((id) => ({ id, label: id })), ...undated]
}

/** By period, or by owner if the chart is grouped by its person. */
export function forecastData(
  { rows, total, currency, periods }: Forecast,
  chart: Chart,
  resource: Resource,
): ChartData {
  const { full, short } = moneyFormats(currency)
  const isByOwner = chart.group_by.length > 0
  const periodOf = ({ id }: Key) => (id === null ? NO_DATE : idLabel(id))
  const ownerOf = ({ id, label }: Key) => (id === null ? NO_OWNER : label)
  const keys = isByOwner ? distinct(rows.map(({ owner }) => owner)) : allPeriods(periods, rows)
  const sums = keys.map((key) => {
    const own = rows.filter(({ period, owner }) => (isByOwner ? owner : period).id === key.id)
    const sum = (of: (row: Forecast['rows'][number]) => number) => own.reduce((all, row) => plus(all, of(row)), 0)
    return {
      key,
      count: sum(({ count }) => count),
      value: sum(({ value }) => value),
      weighted: sum(({ weighted }) => weighted),
    }
  })
  const by = isByOwner ? chart.person : chart.date
  const notLost = filterAt(chart.stage ?? '', { $not_in: lostOptions(chart, resource) })
  const marksOf = (name: 'weighted' | 'value') =>
    sums.map((sum): Mark => {
      const own = by === null ? undefined : filterOfGroup(by, sum.key.id, resource)
      const filter = own && { $and: [own, notLost] }
      return { value: sum[name], told: `${full(sum[name])}, ${formatCount(sum.count, 'record')}`, filter }
    })
  const { count, value } = total.unknown
  return {
    labels: sums.map(({ key }) => (isByOwner ? ownerOf(key) : periodOf(key))),
    isTime: !isByOwner,
    series: [
      { name: 'Weighted', marks: marksOf('weighted') },
      { name: 'Unweighted', marks: marksOf('value') },
    ],
    stacked: false,
    whole: false,
    short,
    head: [
      'Period',
      ...(chart.person === null ? [] : ['Owner']),
      'Records',
      'Unweighted',
      'Weighted',
      'Without probability',
    ],
    rows: [
      ...rows.map((row) => [
        text(periodOf(row.period)),
        ...(chart.person === null ? [] : [text(ownerOf(row.owner))]),
        ...totalCells(row, full),
      ]),
      [text('Total'), ...(chart.person === null ? [] : [text('')]), ...totalCells(total, full)],
    ],
    notes: [
      `Total: ${full(total.weighted)} weighted, ${full(total.value)} unweighted, ${formatCount(total.count, 'record')}.`,
      ...(count === 0
        ? []
        : [
            `${formatCount(count, 'record')} with ${full(value)} have a stage without a probability, and are not in the weighted sum.`,
          ]),
    ],
  }
}

/** Without the error that binary fractions add up to. */
function plus(one: number, other: number): number {
  return Math.round((one + other) * MILLION) / MILLION
}

const MILLION = 1_000_000

/** They are no part of a forecast. */
function lostOptions({ stage }: Chart, resource: Resource): string[] {
  const property = groupNamed(stage ?? '', resource)?.property
  const options = property?.of === 'field' ? property.field.options : []
  return options.flatMap(({ id, probability }) => (probability === 0 ? [id] : []))
}

function totalCells({ count, value, weighted, unknown }: Forecast['total'], full: Formats['full']): TableCell[] {
  return [
    number(count, formatNumber(count)),
    number(value, full(value)),
    number(weighted, full(weighted)),
    number(unknown.value, unknown.count === 0 ? '' : full(unknown.value)),
  ]
}

const percent = (value: number) => `${formatNumber(Math.round(value * 10) / 10)} %`

/** By period, or by owner if the chart is grouped by its person. */
export function winRateData(
  { rows, since, undated, periods }: WinRate,
  chart: Chart,
  from: string | undefined,
): ChartData {
  const isByOwner = chart.group_by.length > 0
  const labelOf = ({ id, label }: Key) => (isByOwner ? (id === null ? NO_OWNER : label) : idLabel(id ?? ''))
  const keys = isByOwner ? distinct(rows.map(({ owner }) => owner)) : allPeriods(periods, rows)
  const sums = keys.map((key) => {
    const own = rows.filter(({ period, owner }) => (isByOwner ? owner : period).id === key.id)
    const won = own.reduce((all, row) => all + row.won, 0)
    const lost = own.reduce((all, row) => all + row.lost, 0)
    return { key, won, lost, rate: rateOf({ won, lost }) }
  })
  const marks = sums.map(({ won, lost, rate }): Mark => {
    if (won + lost === 0) return { value: null, told: 'nothing closed' }
    return { value: rate, told: `${percent(rate)}: ${formatNumber(won)} won, ${formatNumber(lost)} lost` }
  })
  const won = sums.reduce((all, sum) => all + sum.won, 0)
  const lost = sums.reduce((all, sum) => all + sum.lost, 0)
  return {
    labels: sums.map(({ key }) => labelOf(key)),
    isTime: !isByOwner,
    series: [{ name: 'Win rate', marks }],
    stacked: false,
    whole: false,
    short: percent,
    head: [isByOwner ? 'Owner' : 'Period', 'Won', 'Lost', 'Win rate'],
    rows: sums
      .filter(({ won, lost }) => won + lost > 0)
      .map(({ key, won, lost, rate }) => [
        text(labelOf(key)),
        number(won, formatNumber(won)),
        number(lost, formatNumber(lost)),
        number(rate, percent(rate)),
      ]),
    notes: [
      ...(won + lost === 0
        ? []
        : [`Total: ${percent(rateOf({ won, lost }))}, ${formatNumber(won)} won, ${formatNumber(lost)} lost.`]),
      ...sinceNote(since, from),
      ...(undated === 0 ? [] : [`${formatCount(undated, 'record')} closed before that are left out.`]),
    ],
  }
}

function rateOf({ won, lost }: { won: number; lost: number }): number {
  return won + lost === 0 ? 0 : (100 * won) / (won + lost)
}

/** Said if the period begins before the history. */
function sinceNote(since: string, from: string | undefined): string[] {
  if (from !== undefined && from >= since) return []
  return [`Changes are kept for ${AUDIT_DAYS} days: this is from ${idLabel(since.slice(0, 10))} on.`]
}

const days = (value: number) => formatCount(Math.round(value * 10) / 10, 'day')

export function stageTimeData(
  { stages, since, atLeast }: StageTimes,
  chart: Chart,
  { from, resource }: { from: string | undefined; resource: Resource },
): ChartData {
  const marksOf = (name: 'median' | 'average') =>
    stages.map(({ stage, count, staying, [name]: value }): Mark => {
      const told =
        value === null
          ? 'no records'
          : `${days(value)}, ${formatCount(count, 'stay')}, ${formatNumber(staying)} of them still there`
      return { value, told, filter: filterOfGroup(chart.stage ?? '', stage.id, resource) }
    })
  const cell = (value: number | null) => number(value, value === null ? '' : days(value))
  const staying = stages.reduce((sum, one) => sum + one.staying, 0)
  return {
    labels: stages.map(({ stage }) => stage.label),
    isTime: false,
    series: [
      { name: 'Median', marks: marksOf('median') },
      { name: 'Average', marks: marksOf('average') },
    ],
    stacked: false,
    whole: false,
    short: (value) => formatNumber(Math.round(value * 10) / 10),
    head: ['Stage', 'Records', 'Still there', 'Median', 'Average'],
    rows: stages.map(({ stage, count, staying, median, average }) => [
      text(stage.label),
      number(count, formatNumber(count)),
      number(staying, formatNumber(staying)),
      cell(median),
      cell(average),
    ]),
    notes: [
      ...(staying === 0 ? [] : [`In days. ${formatCount(staying, 'record')} still there are counted until now.`]),
      ...sinceNote(since, from),
      ...(atLeast === 0 ? [] : [`${formatCount(atLeast, 'stay')} began before that, and are counted from then on.`]),
    ],
  }
}
