import { PERIODS_MAX } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { Person, TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let acme: Answered['body']
let left: Person

const options = ['New', 'Open', 'Won']

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  const { api } = workspace
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  await workspace.field('opportunities', { name: 'Phase', type: 'select', options })
  await workspace.field('opportunities', { name: 'Kinds', type: 'multi-select', options: ['A', 'B', 'C'] })
  await workspace.field('opportunities', { name: 'Hot', type: 'toggle' })
  await workspace.field('opportunities', { name: 'Score', type: 'number' })
  await workspace.field('opportunities', { name: 'Called', type: 'date-time' })
  await workspace.field('opportunities', { name: 'Tags', type: 'tags-input', max_values: 9 })
  await workspace.field('opportunities', { name: 'Comment', type: 'textarea' })
  left = await workspace.member('member')
  acme = await made(api, 'companies', { name: 'Acme', account_owner_id: left.id, custom_fields: { tier: 'Gold' } })
  const beta = await made(api, 'companies', { name: 'beta', custom_fields: { tier: 'Silver' } })
  const zulu = await made(api, 'companies', { name: 'Zulu' })
  const deal = (company_id: string | null, custom_fields: object) =>
    made(api, 'opportunities', { company_id, custom_fields })
  await deal(acme.id, {
    ...{ phase: 'Open', amount: 0.1, close_date: '2026-01-31', kinds: ['A', 'B'], score: 1.5, tags: ['a', 'b'] },
    called: '2026-03-28T23:30:00Z',
  })
  await deal(acme.id, {
    ...{ phase: 'Open', amount: 0.2, close_date: '2026-01-01', kinds: ['B'], hot: true, tags: ['B', 'c'] },
    called: '2026-03-29T21:59:59.999Z',
  })
  await deal(beta.id, {
    phase: 'New',
    amount: 100,
    close_date: '2026-04-01',
    hot: false,
    score: 1e9 + 0.1,
    comment: 'x',
  })
  await deal(zulu.id, { phase: 'New', hot: false, called: '2026-03-29T22:00:00Z' })
  await deal(null, { amount: -1000000.01 })
  const removed = await deal(acme.id, { phase: 'Won', amount: 7 })
  await gone(api, 'opportunities', removed.id)
  await gone(api, 'companies', zulu.id)
  await workspace.remove(left)
})

const summary = (body: object, type = 'opportunities') => workspace.api.post(`/${type}/summary`, body)

async function read(body: object, type?: string): Promise<Answered['body']> {
  const { status, body: answer, text } = await summary(body, type)
  expect(status, text).toBe(200)
  return answer
}

/** Each row as `label label: value of count`. */
async function lines(body: object, type?: string): Promise<string[]> {
  const { data } = await read(body, type)
  return data.map(lineOf)
}

// biome-ignore lint/suspicious/noExplicitAny: a row of an answer.
function lineOf({ keys, value, count }: any): string {
  return `${keys.map(({ label }: { label: string }) => label).join(' ')}: ${value} of ${count}`
}

const sum = { measure: 'sum', field: 'custom_fields.amount' }

describe('additions 4. POST /v1/{resource}/summary', () => {
  it.each(testedResources)('counts %s, also without a body, and says what it did', async (type) => {
    const { meta } = (await workspace.api.get(`/${type}`)).body
    const { status, body, text } = await workspace.api.send('POST', `/${type}/summary`)
    expect(status, text).toBe(200)
    expect(body).toEqual({
      data: [{ keys: [], value: meta.total, count: meta.total }],
      meta: { measure: 'count', field: null, currency: null, total_groups: 1, other: null },
    })
    const by = await read({ measure: 'count', group_by: ['creator'] }, type)
    expect(by.data.map(lineOf)).toEqual(
      meta.total === 0 ? [] : [`${workspace.owner.name}: ${meta.total} of ${meta.total}`],
    )
  })

  it('sees this workspace alone', async () => {
    const other = await workspaceWithOwn()
    const filter = { company: { $in: [acme.id] } }
    const { body } = await other.api.post('/opportunities/summary', { filter, group_by: ['company'] })
    expect(body).toMatchObject({ data: [], meta: { total_groups: 0 } })
  })
})

describe('The measures', () => {
  it('are exact, and the currency is that of the field', async () => {
    const { data, meta } = await read(sum)
    expect(data).toEqual([{ keys: [], value: -999899.71, count: 5 }])
    expect(meta).toEqual({
      ...{ measure: 'sum', field: 'custom_fields.amount', currency: 'USD', total_groups: 1, other: null },
    })
    expect(await lines({ ...sum, filter: { company: { $in: [acme.id] } } })).toEqual([': 0.3 of 2'])
    expect(await lines({ measure: 'sum', field: 'score' })).toEqual([': 1000000001.6 of 5'])
    expect((await read({ measure: 'filled', field: 'score' })).meta).toMatchObject({ field: 'score', currency: null })
  })

  it('average: rounded half up to two decimals more than the field has', async () => {
    const average = { measure: 'average', field: 'amount' }
    expect(await lines(average)).toEqual([': -249974.9275 of 5'])
    const some = { custom_fields: { amount: { $gte: 0 } } }
    expect(await lines({ ...average, filter: some })).toEqual([': 33.4333 of 3'])
    expect(await lines({ measure: 'average', field: 'score' })).toEqual([': 500000000.8 of 5'])
  })

  it('smallest and largest: of numbers, dates and times', async () => {
    const ends = async (field: string) => [
      ...(await lines({ measure: 'smallest', field })),
      ...(await lines({ measure: 'largest', field })),
    ]
    expect(await ends('amount')).toEqual([': -1000000.01 of 5', ': 100 of 5'])
    expect(await ends('close_date')).toEqual([': 2026-01-01 of 5', ': 2026-04-01 of 5'])
    expect(await ends('called')).toEqual([': 2026-03-28T23:30:00.000Z of 5', ': 2026-03-29T22:00:00.000Z of 5'])
    const { created_at } = acme.attributes
    expect(await lines({ measure: 'smallest', field: 'created_at' }, 'companies')).toEqual([`: ${created_at} of 2`])
  })

  it('filled: records with a value; distinct: different values', async () => {
    const both = async (field: string) => [
      ...(await lines({ measure: 'filled', field })),
      ...(await lines({ measure: 'distinct', field })),
    ]
    expect(await both('tags')).toEqual([': 2 of 5', ': 3 of 5'])
    expect(await both('kinds')).toEqual([': 2 of 5', ': 2 of 5'])
    expect(await both('hot')).toEqual([': 3 of 5', ': 2 of 5'])
    expect(await both('company')).toEqual([': 3 of 5', ': 2 of 5'])
    expect(await both('name')).toEqual([': 5 of 5', ': 1 of 5'])
    expect(await lines({ measure: 'filled', field: 'comment' })).toEqual([': 1 of 5'])
  })

  it('of nothing: a sum is 0, an average, a smallest and a largest value are null, and there is one row', async () => {
    const filter = { name: { $eq: 'nobody' } }
    const rows = async (measure: string) => (await read({ measure, field: 'amount', filter })).data
    for (const measure of ['sum', 'filled', 'distinct']) {
      expect(await rows(measure)).toEqual([{ keys: [], value: 0, count: 0 }])
    }
    for (const measure of ['average', 'smallest', 'largest']) {
      expect(await rows(measure)).toEqual([{ keys: [], value: null, count: 0 }])
    }
    expect((await read({ filter })).data).toEqual([{ keys: [], value: 0, count: 0 }])
    expect(await read({ filter, group_by: ['phase'] })).toMatchObject({
      data: [],
      meta: { total_groups: 0, other: null },
    })
  })
})

describe('Groups', () => {
  it('by choice, in the order of its options; records without a value are last', async () => {
    const { data, meta } = await read({ ...sum, group_by: ['custom_fields.phase'] })
    expect(data.map(lineOf)).toEqual(['New: 100 of 2', 'Open: 0.3 of 2', 'Empty: -1000000.01 of 1'])
    expect(data[0].keys[0].id).toMatch(/^[0-9a-z]{26}$/)
    expect(data[2].keys).toEqual([{ id: null, label: 'Empty' }])
    expect(meta.total_groups).toBe(3)
  })

  it('by a choice of several: a record is in several groups', async () => {
    expect(await lines({ ...sum, group_by: ['kinds'] })).toEqual([
      'A: 0.1 of 1',
      'B: 0.3 of 2',
      'Empty: -999900.01 of 3',
    ])
    expect(await lines({ measure: 'distinct', field: 'tags', group_by: ['kinds'] })).toEqual([
      ...['A: 2 of 1', 'B: 3 of 2', 'Empty: 0 of 3'],
    ])
  })

  it('by checkbox and toggle: true and false, Yes and No', async () => {
    const { data } = await read({ group_by: ['hot'] })
    expect(data).toEqual([
      { keys: [{ id: 'false', label: 'No' }], value: 2, count: 2 },
      { keys: [{ id: 'true', label: 'Yes' }], value: 1, count: 1 },
      { keys: [{ id: null, label: 'Empty' }], value: 2, count: 2 },
    ])
  })

  it('by member and by reference; a deleted record and a member who left are Empty', async () => {
    expect(await lines({ group_by: ['company'] })).toEqual(['Acme: 2 of 2', 'beta: 1 of 1', 'Empty: 2 of 2'])
    expect(await lines({ group_by: ['creator'] })).toEqual([`${workspace.owner.name}: 5 of 5`])
    expect(await lines({ group_by: ['accountOwner'] }, 'companies')).toEqual(['Empty: 2 of 2'])
    const { data } = await read({ group_by: ['company'] })
    expect(data[0].keys[0].id).toBe(acme.id)
  })

  it('by reference fields, of which a record has one or several', async () => {
    const own = await workspaceWithOwn()
    const { api, owner } = own
    await own.field('projects', { name: 'Lead', type: 'member' })
    await own.field('projects', { name: 'Client', type: 'record', target: 'companies' })
    await own.field('projects', { name: 'Partners', type: 'record', target: 'companies', multiple: true })
    const gone = await own.member('member')
    const one = await made(api, 'companies', { name: 'One', account_owner_id: owner.id })
    const two = await made(api, 'companies', { name: 'Two' })
    const three = await made(api, 'companies', { name: 'Three' })
    await made(api, 'projects', { custom_fields: { lead: owner.id, client: one.id, partners: [one.id, two.id] } })
    await made(api, 'projects', { custom_fields: { lead: gone.id, client: three.id, partners: [two.id] } })
    await own.remove(gone)
    await api.delete(`/companies/${three.id}`)
    for (const filter of [{}, { created_at: { $gt: '2000-01-01' } }]) {
      const by = async (...group_by: string[]) => {
        return (await api.post('/projects/summary', { group_by, filter })).body.data.map(lineOf)
      }
      expect(await by('custom_fields.lead')).toEqual([`${owner.name}: 1 of 1`, 'Empty: 1 of 1'])
      expect(await by('client')).toEqual(['One: 1 of 1', 'Empty: 1 of 1'])
      expect(await by('partners')).toEqual(['Two: 2 of 2', 'One: 1 of 1'])
      expect(await by('client', 'lead')).toEqual([`One ${owner.name}: 1 of 1`, 'Empty Empty: 1 of 1'])
      expect(await by('custom_fields.client.accountOwner')).toEqual([`${owner.name}: 1 of 1`, 'Empty: 1 of 1'])
    }
  })

  it('by those to whom tasks are assigned, and by what they are about', async () => {
    const { api, owner } = workspace
    const member = await workspace.member('member')
    await made(api, 'tasks', { assignee_ids: [owner.id, member.id], company_ids: [acme.id] })
    await made(api, 'tasks', { assignee_ids: [member.id] })
    await made(api, 'tasks')
    expect(await lines({ group_by: ['assignees'] }, 'tasks')).toEqual([
      ...[`${member.name}: 2 of 2`, `${owner.name}: 1 of 1`, 'Empty: 1 of 1'],
    ])
    expect(await lines({ group_by: ['companies'] }, 'tasks')).toEqual(['Acme: 1 of 1', 'Empty: 2 of 2'])
    expect(await lines({ group_by: ['companies.custom_fields.tier'] }, 'tasks')).toEqual([
      'Gold: 1 of 1',
      'Empty: 2 of 2',
    ])
    await workspace.remove(member)
    expect(await lines({ group_by: ['assignees'] }, 'tasks')).toEqual([`${owner.name}: 1 of 1`, 'Empty: 2 of 2'])
  })

  it('by attributes of a related record', async () => {
    expect(await lines({ ...sum, group_by: ['company.custom_fields.tier'] })).toEqual([
      ...['Gold: 0.3 of 2', 'Silver: 100 of 1', 'Empty: -1000000.01 of 2'],
    ])
    expect(await lines({ group_by: ['company.tier'] })).toHaveLength(3)
    expect(await lines({ group_by: ['company.creation_source'] })).toEqual(['api: 3 of 3', 'Empty: 2 of 2'])
    expect(await lines({ group_by: ['company.accountOwner'] })).toEqual(['Empty: 5 of 5'])
    const year = acme.attributes.created_at.slice(0, 4)
    expect(await lines({ group_by: ['company.created_at'], period: 'year' })).toEqual([
      `${year}: 3 of 3`,
      'Empty: 2 of 2',
    ])
  })

  it('by creation source', async () => {
    expect(await lines({ group_by: ['creation_source'] })).toEqual(['api: 5 of 5'])
  })

  it('by two names', async () => {
    expect(await lines({ ...sum, group_by: ['phase', 'company'] })).toEqual([
      ...['New beta: 100 of 1', 'New Empty: 0 of 1', 'Open Acme: 0.3 of 2', 'Empty Empty: -1000000.01 of 1'],
    ])
    expect(await lines({ group_by: ['kinds', 'close_date'], period: 'month' })).toEqual([
      ...['A 2026-01: 1 of 1', 'B 2026-01: 2 of 2', 'Empty 2026-04: 1 of 1', 'Empty Empty: 2 of 2'],
    ])
  })

  it('work with any filter', async () => {
    const by = (filter: object) => lines({ ...sum, filter, group_by: ['company'] })
    expect(await by({ company: { name: { $contains: 'CM' } } })).toEqual(['Acme: 0.3 of 2'])
    expect(await by({ custom_fields: { amount: { $lt: 1 } } })).toEqual(['Acme: 0.3 of 2', 'Empty: -1000000.01 of 1'])
    expect(await by({ $not: { custom_fields: { phase: { $is_empty: false } } } })).toEqual(['Empty: -1000000.01 of 1'])
    expect(await by({ $or: [{ custom_fields: { hot: { $eq: true } } }, { creator: { $in: [NOWHERE] } }] })).toEqual([
      'Acme: 0.2 of 1',
    ])
  })
})

describe('Dates and times', () => {
  const by = (period: string, more: object = {}) => lines({ group_by: ['close_date'], period, ...more })

  it('by period; with one name, periods without records between the first and the last are included', async () => {
    expect(await by('month')).toEqual([
      ...['2026-01: 2 of 2', '2026-02: 0 of 0', '2026-03: 0 of 0', '2026-04: 1 of 1', 'Empty: 2 of 2'],
    ])
    expect(await by('quarter')).toEqual(['2026-Q1: 2 of 2', '2026-Q2: 1 of 1', 'Empty: 2 of 2'])
    expect(await by('year')).toEqual(['2026: 3 of 3', 'Empty: 2 of 2'])
    const weeks = await by('week')
    expect([weeks.length, weeks[0], weeks[4], weeks[13]]).toEqual([
      ...[15, '2026-W01: 1 of 1', '2026-W05: 1 of 1', '2026-W14: 1 of 1'],
    ])
    const days = await read({ group_by: ['close_date'], period: 'day' })
    expect([days.data.length, lineOf(days.data[30]), days.meta.total_groups]).toEqual([50, '2026-01-31: 1 of 1', 92])
    expect(days.meta.other).toEqual({ value: 3, count: 3 })
    expect((await by('month', { measure: 'average', field: 'amount' }))[1]).toBe('2026-02: null of 0')
  })

  it('in a time zone, across changes of the clocks; dates ignore it', async () => {
    const called = (time_zone?: string) => lines({ group_by: ['called'], period: 'day', time_zone })
    expect(await called()).toEqual(['2026-03-28: 1 of 1', '2026-03-29: 2 of 2', 'Empty: 2 of 2'])
    expect(await called('Europe/Berlin')).toEqual(['2026-03-29: 2 of 2', '2026-03-30: 1 of 1', 'Empty: 2 of 2'])
    expect(await called('Asia/Kolkata')).toEqual(['2026-03-29: 1 of 1', '2026-03-30: 2 of 2', 'Empty: 2 of 2'])
    expect(await by('month', { time_zone: 'Pacific/Kiritimati' })).toEqual(await by('month'))
  })

  it(`at most ${PERIODS_MAX} periods, of the records that meet the filter`, async () => {
    const { api } = workspace
    const old = await made(api, 'opportunities', { name: 'Old', custom_fields: { close_date: '0001-01-01' } })
    const { errors } = (await summary({ group_by: ['close_date'], period: 'day' })).body
    expect(errors).toEqual({
      period: [
        'From the first custom_fields.close_date to the last there are more than 1,000 periods of one day. Send a longer period, or a filter for fewer records.',
      ],
    })
    const filter = { name: { $eq: 'One' } }
    expect(await by('month', { filter })).toHaveLength(5)
    expect((await summary({ group_by: ['close_date'], period: 'year' })).status).toBe(422)
    await gone(api, 'opportunities', old.id)
    expect(await by('month')).toHaveLength(5)
  })
})

describe('sort, limit and other', () => {
  it('the largest values first, unless sorted by value or by label', async () => {
    const by = (sort?: string) => lines({ ...sum, group_by: ['company'], sort })
    expect(await by()).toEqual(['beta: 100 of 1', 'Acme: 0.3 of 2', 'Empty: -1000000.01 of 2'])
    expect(await by('-value')).toEqual(await by())
    expect(await by('value')).toEqual(['Acme: 0.3 of 2', 'beta: 100 of 1', 'Empty: -1000000.01 of 2'])
    expect(await by('label')).toEqual(['Acme: 0.3 of 2', 'beta: 100 of 1', 'Empty: -1000000.01 of 2'])
    const phases = (sort: string) => lines({ ...sum, group_by: ['phase'], sort })
    expect(await phases('label')).toEqual(['New: 100 of 2', 'Open: 0.3 of 2', 'Empty: -1000000.01 of 1'])
    expect((await phases('value'))[0]).toBe('Open: 0.3 of 2')
    const members = await lines({ group_by: ['creator'], sort: 'label' })
    expect(members).toEqual([`${workspace.owner.name}: 5 of 5`])
  })

  it('as many groups as the limit says, and all others as one', async () => {
    const limited = async (measure: string, field?: string) => {
      const { data, meta } = await read({ measure, field, group_by: ['company'], limit: 1 })
      return [...data.map(lineOf), meta.total_groups, meta.other.value, meta.other.count]
    }
    expect(await limited('count')).toEqual(['Acme: 2 of 2', 3, 3, 3])
    expect(await limited('sum', 'amount')).toEqual(['beta: 100 of 1', 3, -999999.71, 4])
    expect(await limited('average', 'amount')).toEqual(['beta: 100 of 1', 3, -333333.2367, 4])
    expect(await limited('smallest', 'amount')).toEqual(['beta: 100 of 1', 3, -1000000.01, 4])
    expect(await limited('largest', 'close_date')).toEqual(['beta: 2026-04-01 of 1', 3, '2026-01-31', 4])
    expect(await limited('filled', 'tags')).toEqual(['Acme: 2 of 2', 3, 0, 3])
    expect(await limited('distinct', 'hot')).toEqual([expect.stringMatching(/: 1 of/), 3, 1, expect.any(Number)])
  })
})

describe('What does not fit is refused', () => {
  const refused = async (body: object, type?: string) => problemsOf(summary(body, type))

  it('unknown keys, and all problems at once', async () => {
    const errors = await refused({
      measure: 'total',
      group_by: ['stages'],
      filter: { nonsense: 1 },
      by: 'x',
      limit: 201,
    })
    expect(Object.keys(errors)).toEqual(['by', 'measure', 'group_by.0', 'filter.nonsense', 'limit'])
    expect(errors['group_by.0']?.[0]).toContain('Did you mean stage?')
    expect(errors.by?.[0]).toContain('Accepted: filter, measure, field, group_by, period, time_zone, limit, sort.')
    expect(await refused({ sort: '-label', time_zone: '+01:00', period: 'hour' })).toEqual({
      period: ['The period must be one of: day, week, month, quarter, year.'],
      time_zone: ['The time_zone must be an IANA name such as Europe/Berlin or UTC.'],
      sort: [expect.stringContaining('one of: label, value, -value.')],
    })
    expect(await refused({ time_zone: 'Europe/Berln' })).toEqual({
      time_zone: [expect.stringContaining('Did you mean Europe/Berlin?')],
    })
    expect(Object.keys(await problemsOf(workspace.api.post('/companies/summary?limit=2', {})))).toEqual(['limit'])
  })

  it('a field or measure that does not fit, naming those that do', async () => {
    expect((await refused({ measure: 'sum' })).field).toEqual([
      'The field is required for sum. Accepted: custom_fields.amount, custom_fields.score.',
    ])
    expect((await refused({ measure: 'sum', field: 'phase' })).field).toEqual([
      'There is no sum of custom_fields.phase, but filled, distinct. Fields for sum: custom_fields.amount, custom_fields.score.',
    ])
    expect((await refused({ field: 'amount' })).field).toEqual([
      'A count takes no field: it counts records. Of custom_fields.amount there is sum, average, smallest, largest, filled, distinct.',
    ])
    expect((await refused({ measure: 'largest', field: 'amuont' })).field?.[0]).toContain('Did you mean amount?')
    expect((await refused({ measure: 'distinct', field: 'comment' })).field?.[0]).toContain('but filled.')
    expect((await refused({ measure: 'sum', field: 'x' }, 'people')).field?.[0]).toContain(
      'none, for people have no such',
    )
    expect((await refused({ measure: 'sum', field: { a: 1 } })).field).toHaveLength(1)
  })

  it('names that records cannot be grouped by', async () => {
    expect(Object.keys(await refused({ group_by: ['people'] }, 'companies'))).toEqual(['group_by.0'])
    expect(Object.keys(await refused({ group_by: ['amount', 'phase', 'hot'] }))).toEqual(['group_by'])
    expect(Object.keys(await refused({ group_by: 'phase' }))).toEqual(['group_by'])
    expect((await refused({ group_by: ['phase', 'custom_fields.phase'] }))['group_by.1']?.[0]).toContain(
      'more than once',
    )
    expect((await refused({ group_by: ['company.tire'] }))['group_by.0']?.[0]).toContain('Did you mean company.tier?')
    expect((await refused({ group_by: ['company.accountOwner.name'] }))['group_by.0']).toHaveLength(1)
    expect((await refused({ group_by: [{ a: 1 }] }))['group_by.0']).toHaveLength(1)
  })

  it('a date or time without a period', async () => {
    for (const name of ['close_date', 'called', 'created_at', 'company.created_at']) {
      const errors = await refused({ group_by: [name] })
      expect(errors).toEqual({ period: [expect.stringContaining('Accepted: day, week, month, quarter, year.')] })
    }
  })
})
