import { newId } from '@kith/contract/id'
import { DAY_MS } from '@kith/contract/limits'
import { resourceIn } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import { readForecast } from '../../../src/reports/forecast.ts'
import { readStageTimes, readWinRate } from '../../../src/reports/stage-history.ts'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { signedInMember } from '../../browser.ts'
import { made, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const SINCE = NOW - 365 * DAY_MS
const asked = { raw: {}, issues: [], loose: false }
const zone = 'Europe/Berlin'

const probabilities = { Open: 20, Maybe: undefined, Likely: 85, Won: 100, Renewed: 100, Lost: 0 } as const
type Phase = keyof typeof probabilities
const phases: readonly (Phase | null)[] = ['Open', 'Maybe', 'Likely', 'Won', 'Renewed', 'Lost', null]

/** A deal as the test knows it: its phases in the order of time. */
type Deal = {
  name: string
  owner: string | null
  amount: number | null
  closes: string | null
  phases: { at: number; phase: Phase | null }[]
}

let workspace: TestWorkspace
let scope: Scope
let deals: Deal[]
let owners: string[]

/** The same numbers for the same seed. */
function dice(seed: number) {
  let state = seed
  const below = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * most)
  }
  return { below, one: <T>(items: readonly T[]): T => items[below(items.length)] as T }
}

beforeAll(async () => {
  workspace = await newWorkspace()
  const options = Object.entries(probabilities).map(([label, probability]) => ({ label, probability }))
  await workspace.field('opportunities', { name: 'Phase', type: 'select', options })
  owners = [workspace.owner.id, (await workspace.member('member')).id]
  scope = { ...(await workspace.scope()), now: () => new Date(NOW) }
  const roll = dice(7)
  deals = []
  await inTransaction(scope, async (inside) => {
    for (let number = 0; number < 120; number++) deals.push(await newDeal(inside, roll, number))
  })
})

/** Some are older than the history that is kept, and most change their phase several times. */
async function newDeal(inside: Scope, roll: ReturnType<typeof dice>, number: number): Promise<Deal> {
  const opportunities = resourceIn(inside.schema, 'opportunities')
  let at = NOW - (30 + roll.below(500)) * DAY_MS - roll.below(DAY_MS)
  const deal: Deal = {
    name: `Deal ${number} ${number % 3 === 0 ? 'north' : 'south'}`,
    owner: roll.one([...owners, null]),
    amount: roll.one([null, 0.1, 0.2, 1234.56, -7, 99_999.99]),
    closes: roll.one([null, '2026-10-31', '2026-11-01', '2026-12-24', '2027-01-01']),
    phases: [{ at, phase: roll.one(phases) }],
  }
  const custom_fields = {
    phase: deal.phases[0]?.phase,
    amount: deal.amount,
    close_date: deal.closes,
    owner: deal.owner,
  }
  const moment = (time: number) => ({ ...inside, now: () => new Date(time) })
  const { data } = await createRecord(moment(at), opportunities, { body: { name: deal.name, custom_fields }, asked })
  const id = data()[0]?.id ?? ''
  for (let moves = roll.below(6); moves > 0; moves--) {
    at += 1 + roll.below(90 * DAY_MS)
    if (at >= NOW) break
    const phase = roll.one(phases)
    const body = { custom_fields: { phase, amount: deal.amount } }
    await updateRecord(moment(at), opportunities, { id, body, asked })
    if (phase !== deal.phases.at(-1)?.phase) deal.phases.push({ at, phase })
  }
  return deal
}

const opportunities = () => resourceIn(scope.schema, 'opportunities')
const isNorth = { name: { $contains: 'north' } }
const northern = () => deals.filter(({ name }) => name.includes('north'))

/** Every stay of the deals in the kept history. */
function intervals(some: readonly Deal[]) {
  return some.flatMap((deal) =>
    deal.phases.flatMap(({ at, phase }, index) => {
      const to = deal.phases[index + 1]?.at
      return (to ?? NOW) <= SINCE ? [] : [{ phase, from: Math.max(at, SINCE), to, earlier: at < SINCE, deal }]
    }),
  )
}

describe('days in a stage', () => {
  it.each([
    ['all of the history', undefined, undefined],
    ['a quarter', '2026-07-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z'],
    ['until the present', '2026-11-01T00:00:00.000Z', undefined],
  ])('are those of the records that were there in %s', async (_name, from, until) => {
    for (const [filter, some] of [[isNorth, northern()] as const, [undefined, deals] as const]) {
      const result = await readStageTimes(scope, opportunities(), { stage: 'phase', filter, from, until })
      const [first, last] = [from ? Date.parse(from) : 0, until ? Date.parse(until) : NOW + 1]
      const met = intervals(some).filter((one) => one.from < last && (one.to ?? NOW) > first)
      const expected = Object.keys(probabilities).map((label) => {
        const here = met.filter(({ phase }) => phase === label)
        const days = here.map((one) => ((one.to ?? NOW) - one.from) / DAY_MS).toSorted((one, other) => one - other)
        const middle =
          days.length === 0 ? null : ((days.at((days.length - 1) / 2) ?? 0) + (days[days.length >> 1] ?? 0)) / 2
        const average = days.length === 0 ? null : days.reduce((sum, one) => sum + one, 0) / days.length
        return { label, count: here.length, staying: here.filter(({ to }) => !to).length, middle, average }
      })
      const shown = result.stages.map(({ stage, count, staying }) => ({ label: stage.label, count, staying }))
      expect(shown).toEqual(expected.map(({ label, count, staying }) => ({ label, count, staying })))
      result.stages.forEach(({ median, average }, index) => {
        expect(median ?? -1).toBeCloseTo(expected[index]?.middle ?? -1, 1)
        expect(average ?? -1).toBeCloseTo(expected[index]?.average ?? -1, 1)
      })
      expect(result.atLeast).toBe(met.filter(({ earlier, phase }) => earlier && phase !== null).length)
      expect(result.since).toBe(new Date(SINCE).toISOString())
    }
  })
})

describe('the win rate', () => {
  it.each(['month', 'quarter', 'day'])('counts each record once, in the %s in which it was closed', async (period) => {
    const from = '2026-02-01T00:00:00.000Z'
    const body = { stage: 'phase', person: 'custom_fields.owner', period, time_zone: zone, from }
    const { rows, undated } = await readWinRate(scope, opportunities(), body)
    const outcome = (phase: Phase | null) => {
      const known = phase && probabilities[phase]
      return known === 100 ? 'won' : known === 0 ? 'lost' : undefined
    }
    const expected = new Map<string, { won: number; lost: number }>()
    let before = 0
    for (const { owner, phases } of deals) {
      const last = outcome(phases.at(-1)?.phase ?? null)
      if (!last) continue
      let first = phases.length - 1
      while (first > 0 && outcome(phases[first - 1]?.phase ?? null) === last) first--
      const at = phases[first]?.at ?? 0
      if (at < SINCE) before++
      if (at < Date.parse(from)) continue
      const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()
      const months = day.toPlainYearMonth().toString()
      const id = { day: day.toString(), month: months, quarter: `${day.year}-Q${Math.ceil(day.month / 3)}` }[period]
      expected.getOrInsertComputed(`${id} ${owner}`, () => ({ won: 0, lost: 0 }))[last]++
    }
    expect(new Map(rows.map(({ period, owner, won, lost }) => [`${period.id} ${owner.id}`, { won, lost }]))).toEqual(
      expected,
    )
    expect(undated).toBe(before)
    expect(rows.length).toBeGreaterThan(2)
  })
})

describe('a forecast', () => {
  it('is exact, by month and owner, with what has no date and no probability', async () => {
    for (const [filter, some] of [[isNorth, northern()] as const, [undefined, deals] as const]) {
      const body = { field: 'amount', stage: 'phase', date: 'close_date', person: 'custom_fields.owner', filter }
      const { rows, total, currency, periods } = await readForecast(scope, opportunities(), body)
      const cents = (deal: Deal) => BigInt(Math.round((deal.amount ?? 0) * 100))
      const sums = new Map<string, { count: number; value: bigint; weighted: bigint; unknown: [number, bigint] }>()
      for (const deal of some) {
        const phase = deal.phases.at(-1)?.phase ?? null
        const probability = phase === null ? undefined : probabilities[phase]
        if (probability === 0) continue
        for (const key of [`${deal.closes?.slice(0, 7) ?? null} ${deal.owner}`, 'total']) {
          const sum = sums.getOrInsertComputed(key, () => ({ count: 0, value: 0n, weighted: 0n, unknown: [0, 0n] }))
          sum.count++
          sum.value += cents(deal)
          sum.weighted += cents(deal) * BigInt(probability ?? 0)
          if (probability !== undefined) continue
          sum.unknown[0]++
          sum.unknown[1] += cents(deal)
        }
      }
      const told = ({ count, value, weighted, unknown }: (typeof rows)[number] | typeof total) => {
        return { count, value, weighted, unknown: [unknown.count, unknown.value] }
      }
      const expected = [...sums].map(([key, { count, value, weighted, unknown }]) => {
        const [number, sum] = unknown
        const parts = { count, value: Number(value) / 100, weighted: Number(weighted) / 10_000 }
        return [key, { ...parts, unknown: [number, Number(sum) / 100] }] as const
      })
      const shown = rows.map((row) => [`${row.period.id} ${row.owner.id}`, told(row)] as const)
      expect(new Map([...shown, ['total', told(total)] as const])).toEqual(new Map(expected))
      expect(currency).toBe('USD')
      expect(periods).toEqual(['2026-10', '2026-11', '2026-12', '2027-01'])
    }
  })

  it('of no records is empty; what does not fit is refused', async () => {
    const { browser } = await signedInMember(workspace, 'viewer')
    const ask = (body: object, path = 'forecast') => browser.post(`/w/${workspace.slug}/reports/${path}`, body)
    const right = { resource: 'opportunities', field: 'amount', stage: 'phase', date: 'close_date' }
    const none = await ask({ ...right, filter: { name: { $eq: newId(NOW) } } })
    const nothing = { count: 0, value: 0, weighted: 0, unknown: { count: 0, value: 0 } }
    expect(none.body.data).toEqual({ currency: 'USD', periods: [], rows: [], total: nothing })
    expect((await ask(right)).status).toBe(200)
    const wrong = {
      resource: 'opportunities',
      field: 'name',
      stage: 'owner',
      date: 'stage',
      person: 'x',
      period: 'era',
      y: 1,
    }
    expect(Object.keys((await ask(wrong)).body.errors).toSorted()).toEqual(
      ['date', 'field', 'period', 'person', 'stage', 'y'].toSorted(),
    )
    const late = { resource: 'opportunities', stage: 'phase', from: 'yesterday', until: 7 }
    expect(Object.keys((await ask(late, 'stage-times')).body.errors)).toEqual(['from', 'until'])
    expect(
      Object.keys((await ask({ resource: 'tasks', stage: 'status', person: 'assignees' }, 'win-rate')).body.errors),
    ).toEqual(['person'])
    expect(Object.keys(await problemsOf(ask({ resource: 'nothing' })))).toEqual(['resource'])
  })

  it('leaves out deleted records', async () => {
    const other = await newWorkspace()
    const deal = await made(other.api, 'opportunities', { custom_fields: { stage: 'Proposal', amount: 10 } })
    const read = async () => {
      const own = await other.scope()
      const body = { field: 'amount', stage: 'stage', date: 'close_date' }
      return (await readForecast(own, resourceIn(own.schema, 'opportunities'), body)).total
    }
    expect(await read()).toMatchObject({ count: 1, value: 10, weighted: 7 })
    await other.api.delete(`/opportunities/${deal.id}`)
    expect((await read()).count).toBe(0)
  })
})
