import type { Forecast, ForecastRow, Key } from '@kith/contract/app/reports'
import type { Report } from '@kith/contract/issue'
import { PERIODS_MAX, PROBABILITY_MAX } from '@kith/contract/limits'
import { parseWord } from '@kith/contract/parse-word'
import { refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { averageDecimals, type Group, parseSummary, periods, type SummaryQuery } from '@kith/contract/summary'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { explainingSlow } from '../records/list.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { readInput, requireResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { addTimes, addTo, averageOf, newSum, type Sum, textOf } from '../storage/engines/decimal-sum.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import { type ForecastCell, loadForecast } from '../storage/query/forecast.ts'
import type { Periods } from '../storage/query/periods.ts'
import { loadPeriods } from '../storage/query/summary.ts'
import { NONE, namesOfMembers, optionsIn, parseDate, parseOwner, parseStage } from './parse-properties.ts'

/** Periods × owners × options. */
const CELLS_MAX = 20_000

/**
 * What is expected by period and owner: the sum of a field, and the sum weighted by the probabilities of the stages.
 * All as of one moment, and exact.
 */
export function readForecast(scope: Scope, { type }: Resource, body: unknown): Promise<Forecast> {
  requireAbilities(scope, ['read'])
  return reading(scope, (current) => {
    const resource = requireResource(current.schema, type)
    const { query, date, stage, owner } = parseForecast(body, resource)
    return explainingSlow(current, { resource, filter: query.filter }, () =>
      inSnapshot(current, async (inside) => {
        requireSameFields(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
        const found = await loadPeriods(inside, resource, { ...query, group: date })
        if (found === undefined) refuseValue('period', `There are more than ${PERIODS_MAX} periods. Send a longer one.`)
        const asked = { ...query, date, stage, owner, periods: found, limit: CELLS_MAX + 1 }
        const cells = await loadForecast(inside, resource, asked)
        if (cells.length > CELLS_MAX) {
          refuseValue('period', 'There are too many groups. Send a longer period, or a filter for fewer records.')
        }
        return presentForecast(inside, cells, { query, stage, periods: found })
      }),
    )
  })
}

function parseForecast(body: unknown, resource: Resource) {
  const read = readInput(body, ({ raw, report }) => {
    const shown = { measure: 'sum', field: raw('field'), filter: raw('filter') }
    const dated = { period: raw('period') ?? 'month', time_zone: raw('time_zone') }
    const date = parseDate(raw('date'), resource, report)
    return {
      query: parseSummary({ ...shown, ...dated, group_by: date ? [date.name] : [] }, resource, report),
      ...{ date, stage: parseStage(raw('stage'), resource, report) },
      owner: parseOptional(raw('person'), resource, report),
    }
  })
  const { query, date, stage, owner } = read
  // Otherwise the input was refused.
  if (!date || !stage) throw new Error('A forecast without a date or a stage was not refused.')
  return { query, date, stage, owner }
}

function parseOptional(raw: unknown, resource: Resource, report: Report): Group | undefined {
  return raw === undefined || raw === null ? undefined : parseOwner(raw, resource, report)
}

/** Reads the period of a calculation. */
export function parsePeriod(raw: unknown, report: Report): (typeof periods)[number] {
  return parseWord(raw, { name: 'period', words: periods }, report) ?? 'month'
}

/** The sums of a group while they are added up. `weighted` is in hundredths. */
type Total = { count: number; value: Sum; weighted: Sum; unknown: { count: number; value: Sum } }

function newTotal(): Total {
  return { count: 0, value: newSum(), weighted: newSum(), unknown: { count: 0, value: newSum() } }
}

function addCell({ count, sum }: ForecastCell, probability: number | undefined, total: Total): void {
  total.count += Number(count)
  addTo(total.value, sum)
  if (probability !== undefined) addTimes(total.weighted, sum, probability)
  else {
    total.unknown.count += Number(count)
    addTo(total.unknown.value, sum)
  }
}

async function presentForecast(
  inside: Scope,
  cells: readonly ForecastCell[],
  { query, stage, periods }: { query: SummaryQuery; stage: Group; periods: Periods | null },
): Promise<Forecast> {
  const options = optionsIn(stage)
  const all = newTotal()
  const groups = new Map<string, { cell: ForecastCell; total: Total }>()
  for (const cell of cells) {
    const probability = options.get(cell.option ?? '')?.probability
    if (probability === 0) continue
    const group = groups.getOrInsertComputed(`${cell.period} ${cell.owner}`, () => ({ cell, total: newTotal() }))
    addCell(cell, probability, group.total)
    addCell(cell, probability, all)
  }
  const names = await namesOfMembers(
    inside,
    cells.map(({ owner }) => owner),
  )
  const decimals = averageDecimals(query.field?.property)
  const periodOf = (place: number | null): Key => {
    const id = place === null ? undefined : periods?.ids[place]
    return id === undefined ? NONE : { id, label: id }
  }
  const rows = [...groups.values()].map(({ cell, total }): ForecastRow => {
    const owner = cell.owner === null ? NONE : { id: cell.owner, label: names.get(cell.owner) ?? '' }
    return { period: periodOf(cell.period), owner, ...presentTotal(total, decimals) }
  })
  const property = query.field?.property
  const currency = (property?.of === 'field' && property.field.settings.currency) || null
  const sorted = rows.toSorted(byPeriodAndOwner)
  return { currency, periods: between(sorted, periods?.ids ?? []), rows: sorted, total: presentTotal(all, decimals) }
}

/** The periods from the first to the last one that has rows. */
function between(rows: readonly ForecastRow[], ids: readonly string[]): string[] {
  const places = rows.flatMap(({ period }) => (period.id === null ? [] : [ids.indexOf(period.id)]))
  return places.length === 0 ? [] : ids.slice(Math.min(...places), Math.max(...places) + 1)
}

function presentTotal({ count, value, weighted, unknown }: Total, decimals: number): Forecast['total'] {
  return {
    count,
    value: Number(textOf(value) ?? 0),
    weighted: averageOf(textOf(weighted) ?? '0', { count: PROBABILITY_MAX, decimals }),
    unknown: { count: unknown.count, value: Number(textOf(unknown.value) ?? 0) },
  }
}

/** By period, then by the name of the owner. What has none comes last. */
export function byPeriodAndOwner(one: { period: Key; owner: Key }, other: { period: Key; owner: Key }): number {
  return compareKeys(one.period, other.period) || compareKeys(one.owner, other.owner)
}

function compareKeys(one: Key, other: Key): number {
  if (one.id === null || other.id === null) return Number(one.id === null) - Number(other.id === null)
  return one.label < other.label ? -1 : one.label > other.label ? 1 : one.id < other.id ? -1 : Number(one.id > other.id)
}
