import { CHART_TITLE_MAX, CHARTS_PER_REPORT_MAX, REPORT_NAME_MAX } from '../limits.ts'
import { resourceCode } from '../resource-code.ts'
import * as is from '../shape.ts'
import { summaryInput } from '../summary.ts'

/** The last three have a calculation of their own; the others show a summary. */
export const chartKinds = ['bar', 'line', 'number', 'table', 'forecast', 'win_rate', 'stage_time'] as const
export type ChartKind = (typeof chartKinds)[number]

const { measure, field, group_by, period, limit, sort } = summaryInput({})

const filter = is.orNull(is.given<Readonly<Record<string, unknown>>>({ type: 'object' }))

const NAME = { maxLength: 200 }

/** What a chart shows, in the names of summaries. Its filter is that of a view: with relative periods and `me`. */
const chartParts = {
  title: is.line({ maxLength: CHART_TITLE_MAX }),
  kind: is.word(chartKinds),
  resource: resourceCode(),
  ...{ filter, measure, field, group_by, period, limit, sort },
  date: is.orNull(is.text({ ...NAME, says: 'The date or time to which the period of the report applies.' })),
  person: is.orNull(is.text({ ...NAME, says: 'The members to whom the person of the report applies.' })),
  stage: is.orNull(is.text({ ...NAME, says: 'The choice whose options have probabilities.' })),
} as const

/** A chart as it is sent. Without an id it is new. */
export const chartInput = { id: is.maybe(is.text(NAME)), ...chartParts } as const

export type Chart = is.Shown<{ id: is.Shape<string> } & typeof chartParts>
export type ChartInput = is.Sent<typeof chartInput>

/** What a user sets of a report. The charts are read by the operation, which knows the resources. */
export const newReport = {
  name: is.line({ maxLength: REPORT_NAME_MAX }),
  shared: is.or(false, is.flag()),
  charts: is.or([], is.given<readonly unknown[]>({ type: 'array', maxItems: CHARTS_PER_REPORT_MAX })),
} as const

/** `version` is required with `charts`: it is the one that the sender has seen. */
export const reportChanges = {
  name: newReport.name,
  shared: newReport.shared,
  charts: is.maybe(newReport.charts),
  position: is.whole({ from: 1, to: 10_000 }),
  version: is.maybe(is.whole({ from: 1 })),
} as const

/** The owner is null after leaving the workspace. */
export type Report = {
  id: string
  name: string
  shared: boolean
  owner: { id: string; name: string } | null
  charts: readonly Chart[]
  position: number
  /** Each change of the report adds one. */
  version: number
}

/** A member, a period or an option. Null: none. */
export type Key = { id: string | null; label: string }

/** What is expected of the records of a month and an owner. Records that are lost are left out. */
export type ForecastRow = {
  period: Key
  owner: Key
  count: number
  value: number
  /** The value times the probability. */
  weighted: number
  /** The records among them whose stage has no probability. They are not in `weighted`. */
  unknown: { count: number; value: number }
}

export type Forecast = {
  currency: string | null
  /** All periods from the first to the last one, those without records too. */
  periods: readonly string[]
  rows: readonly ForecastRow[]
  total: Pick<ForecastRow, 'count' | 'value' | 'weighted' | 'unknown'>
}

/** How many records were won and lost in a period, by owner. */
export type WinRateRow = { period: Key; owner: Key; won: number; lost: number }

/** `since`: the history before that is not kept. `undated`: closed before that, at an unknown time. */
export type WinRate = {
  since: string
  /** All periods from the first to the last one, those without records too. */
  periods: readonly string[]
  rows: readonly WinRateRow[]
  undated: number
}

/** How long records were in a stage, in days. `staying` of them are still in it, counted until now. */
export type StageTime = {
  stage: Key
  count: number
  staying: number
  median: number | null
  average: number | null
}

/** `atLeast`: so many stays have begun before the history that is kept. Their time is counted from `since`. */
export type StageTimes = { since: string; stages: readonly StageTime[]; atLeast: number }
