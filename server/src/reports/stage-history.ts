import type { Key, StageTime, StageTimes, WinRate, WinRateRow } from '@kith/contract/app/reports'
import type { Condition } from '@kith/contract/filter'
import { firstIdAt, momentOf } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { AUDIT_DAYS, DAY_MS, PERIODS_MAX, PROBABILITY_MAX } from '@kith/contract/limits'
import { parseMoment } from '@kith/contract/moment'
import { parseFilter } from '@kith/contract/parse-filter'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { refuseValue } from '@kith/contract/refusal'
import { CUSTOM_FIELDS, type Resource } from '@kith/contract/resource'
import type { Group, Period } from '@kith/contract/summary'
import { parseTimeZone } from '@kith/contract/time-zone'
import { changesIn } from '../changes/audit-log.ts'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { explainingSlow } from '../records/list.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { type Fields, readInput, requireResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import { periodsIn } from '../storage/query/periods.ts'
import { loadStaged, type StagedRecord } from '../storage/query/staged-records.ts'
import { loadFieldChanges } from '../storage/tables/audit-log.ts'
import { byPeriodAndOwner, parsePeriod } from './forecast.ts'
import { NONE, namesOfMembers, optionsIn, parseOwner, parseStage } from './parse-properties.ts'
import { closing, type Move, middleOf, type Outcome, type Stay, staysOf } from './stays.ts'

/** What is read of the records and their history. `until`: the end of the period, or the present. */
type StageQuery = {
  filter: Condition | undefined
  stage: Group
  owner: Group | undefined
  from: number
  until: number
}

/** How many records were won and lost: in each period of closing, by owner. */
export function readWinRate(scope: Scope, resource: Resource, body: unknown): Promise<WinRate> {
  return withHistory(scope, { resource, body, read: parseWinRate }, async (inside, asked, histories) => {
    const { stage, period, time_zone, since } = asked
    const options = optionsIn(stage)
    const outcomeOf = (option: string | null): Outcome => {
      const probability = options.get(option ?? '')?.probability
      return probability === PROBABILITY_MAX ? 'won' : probability === 0 ? 'lost' : undefined
    }
    const closed: { at: number; owner: string | null; outcome: 'won' | 'lost' }[] = []
    let undated = 0
    for await (const { record, stays } of histories) {
      const end = closing(stays, outcomeOf)
      if (!end) continue
      if (end.at === null) undated++
      else if (end.at >= asked.from && end.at < asked.until) closed.push({ ...end, at: end.at, owner: record.owner })
    }
    const names = await namesOfMembers(
      inside,
      closed.map(({ owner }) => owner),
    )
    const { ids, periodOf } = periodsOf(
      closed.map(({ at }) => at),
      period,
      time_zone,
    )
    const rows = new Map<string, { period: Key; owner: Key; won: number; lost: number }>()
    for (const { at, owner, outcome } of closed) {
      const key = periodOf(at)
      const row = rows.getOrInsertComputed(`${key.id} ${owner}`, () => {
        return {
          period: key,
          owner: owner === null ? NONE : { id: owner, label: names.get(owner) ?? '' },
          won: 0,
          lost: 0,
        }
      })
      row[outcome]++
    }
    const sorted: WinRateRow[] = [...rows.values()].toSorted(byPeriodAndOwner)
    return { since: new Date(since).toISOString(), periods: ids, rows: sorted, undated }
  })
}

/** How long records were in each stage, of those that were in it in a period. */
export function readStageTimes(scope: Scope, resource: Resource, body: unknown): Promise<StageTimes> {
  return withHistory(scope, { resource, body, read: parseStageTimes }, async (_inside, asked, histories) => {
    const { stage, since, now } = asked
    const days = new Map<string, { all: number[]; staying: number }>()
    let atLeast = 0
    for await (const { stays } of histories) {
      for (const { option, from, to, earlier } of stays) {
        if (option === null || from >= asked.until || (to ?? now) <= asked.from) continue
        const found = days.getOrInsertComputed(option, () => ({ all: [], staying: 0 }))
        found.all.push(((to ?? now) - from) / DAY_MS)
        if (to === null) found.staying++
        if (earlier) atLeast++
      }
    }
    const stages = [...optionsIn(stage).values()].map(({ id, label }): StageTime => {
      const { all = [], staying = 0 } = days.get(id) ?? {}
      return { stage: { id, label }, count: all.length, staying, ...middleOf(all) }
    })
    return { since: new Date(since).toISOString(), stages, atLeast }
  })
}

function parseWinRate(fields: Fields, resource: Resource) {
  const { raw, report } = fields
  const zone = raw('time_zone')
  return {
    ...parseCommon(fields, resource),
    owner: isUnsent(raw('person')) ? undefined : parseOwner(raw('person'), resource, report),
    period: parsePeriod(raw('period'), report),
    time_zone: isUnsent(zone) ? 'UTC' : parseTimeZone(zone, report),
  }
}

function parseStageTimes(fields: Fields, resource: Resource) {
  return { ...parseCommon(fields, resource), owner: undefined }
}

function parseCommon({ raw, report }: Fields, resource: Resource) {
  return {
    filter: parseFilter(raw('filter'), { resource, loose: false }, report),
    stage: parseStage(raw('stage'), resource, report),
    from: parseTime(raw('from'), 'from', report) ?? 0,
    until: parseTime(raw('until'), 'until', report) ?? Number.MAX_SAFE_INTEGER,
  }
}

function parseTime(raw: unknown, name: string, report: Report): number | undefined {
  if (isUnsent(raw)) return undefined
  const moment = typeof raw === 'string' ? parseMoment(raw) : undefined
  if (moment === undefined) report(name, `The ${name} must be a time such as 2026-11-14T00:00:00Z.`)
  return moment === undefined ? undefined : Date.parse(moment)
}

type History = { record: StagedRecord; stays: Stay[] }

/** So many records are read with one statement, and so many have their history in memory. */
const STEP = 5000
const RECORDS_MAX = 200_000

/** Reads the records that are asked for, with their stays: the history once, in steps, and not for each record. */
async function withHistory<A extends Omit<StageQuery, 'stage'> & { stage: Group | undefined }, Result>(
  scope: Scope,
  { resource: { type }, body, read }: { resource: Resource; body: unknown; read(fields: Fields, of: Resource): A },
  work: (
    inside: Scope,
    asked: A & StageQuery & { since: number; now: number },
    histories: AsyncIterable<History>,
  ) => Promise<Result>,
): Promise<Result> {
  requireAbilities(scope, ['read'])
  return reading(scope, (current) => {
    const resource = requireResource(current.schema, type)
    const parsed = readInput(body, (fields) => read(fields, resource))
    const { stage } = parsed
    if (!stage) throw new Error('A missing stage was not refused.')
    const now = current.now().getTime()
    const asked = { ...parsed, stage, until: Math.min(parsed.until, now + 1), since: now - AUDIT_DAYS * DAY_MS, now }
    return explainingSlow(current, { resource, filter: asked.filter }, () =>
      inSnapshot(current, async (inside) => {
        requireSameFields(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
        return work(inside, asked, historiesOf(inside, resource, asked))
      }),
    )
  })
}

async function* historiesOf(
  inside: Scope,
  resource: Resource,
  asked: StageQuery & { since: number },
): AsyncGenerator<History> {
  const { since } = asked
  const records = new Map<string, StagedRecord>()
  for (let after = ''; ; ) {
    const part = await loadStaged(inside, resource, { ...asked, after, limit: STEP })
    for (const record of part) records.set(record.id, record)
    const last = part.at(-1)
    if (!last || part.length < STEP) break
    if (records.size > RECORDS_MAX) refuseMany()
    after = last.id
  }
  const moves = await loadMoves(inside, resource, { ...asked, records })
  for (const record of records.values()) {
    const staged = { created: Date.parse(record.created_at), option: record.option }
    yield { record, stays: staysOf(staged, { moves: moves.get(record.id) ?? [], since }) }
  }
}

function refuseMany(): never {
  const most = RECORDS_MAX.toLocaleString('en-US')
  return refuseValue('filter', `More than ${most} records match. Add conditions, so that fewer do.`)
}

async function loadMoves(
  inside: Scope,
  { type }: Resource,
  { stage, since, records }: { stage: Group; since: number; records: ReadonlyMap<string, unknown> },
): Promise<ReadonlyMap<string, Move[]>> {
  const field = nameOf(stage)
  const moves = new Map<string, Move[]>()
  const asked = { resource: type, field, since: firstIdAt(since) }
  for await (const part of loadFieldChanges(inside, asked)) {
    for (const { id, record_id, changes } of part) {
      if (!records.has(record_id)) continue
      const change = changesIn({ changes }).find(([name]) => name === field)
      if (!change) continue
      const move = { at: Date.parse(momentOf(id)), before: optionIn(change[1]), after: optionIn(change[2]) }
      moves.getOrInsertComputed(record_id, () => []).push(move)
    }
  }
  return moves
}

function nameOf({ property }: Group): string {
  if (property.of !== 'field') throw new Error('A stage is a custom field.')
  return CUSTOM_FIELDS + property.field.code
}

/** The log has an option as it was read then. */
function optionIn(value: unknown): string | null {
  const id = isObject(value) ? value.id : value
  return typeof id === 'string' ? id : null
}

/** The periods of moments by the clock of a time zone, and the one of each moment. */
function periodsOf(
  moments: readonly number[],
  period: Period,
  zone: string,
): { ids: readonly string[]; periodOf(at: number): Key } {
  if (moments.length === 0) return { ids: [], periodOf: () => NONE }
  const [first, last] = moments.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0])
  const range = { smallest: new Date(first).toISOString(), largest: new Date(last).toISOString() }
  const found = periodsIn(range, period, zone)
  if (!found) return refuseValue('period', `There are more than ${PERIODS_MAX} periods. Send a longer one.`)
  const { ids } = found
  const starts = found.starts.map(({ from, period }) => ({ at: Date.parse(from), period }))
  return {
    ids,
    periodOf(at) {
      const id = ids[starts.findLast((start) => start.at <= at)?.period ?? 0] ?? ''
      return { id, label: id }
    },
  }
}
