import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { summarizeRecords } from '../../../src/records/summarize.ts'
import { loadSample } from '../../../src/sample/load.ts'
import type { Answered } from '../../api.ts'
import { gone, made } from '../../records.ts'
import { refusalOf } from '../../test-runtime.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { as } from './scopes.ts'

let workspace: TestWorkspace
let acme: Answered['body']

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  await workspace.field('opportunities', { name: 'Kinds', type: 'multi-select', options: ['A', 'B'] })
  await workspace.field('opportunities', { name: 'Hot', type: 'toggle' })
  await workspace.field('opportunities', { name: 'Score', type: 'number' })
  acme = await made(api, 'companies', { name: 'Acme' })
  const beta = await made(api, 'companies', { name: 'Beta' })
  const deleted = await made(api, 'companies', { name: 'Deleted' })
  const deal = (company_id: string | null, custom_fields: object) =>
    made(api, 'opportunities', { company_id, custom_fields })
  await deal(acme.id, { stage: 'Prospecting', amount: 0.1, close_date: '2026-01-31', kinds: ['A', 'B'], score: 1.5 })
  await deal(acme.id, { stage: 'Prospecting', amount: 0.2, close_date: '2026-01-01', kinds: ['B'], hot: true })
  await deal(beta.id, { stage: 'Closed Won', amount: 100, close_date: '2026-03-01', hot: false, score: -0.25 })
  await deal(deleted.id, { stage: 'Closed Won' })
  await deal(null, { amount: -1000000.01 })
  const removed = await deal(acme.id, { stage: 'Prospecting', amount: 7 })
  await gone(api, 'opportunities', removed.id)
  await gone(api, 'companies', deleted.id)
})

const summary = async (type: BuiltInName, input: object) =>
  summarizeRecords(await workspace.scope(), registry[type], input)

async function lines(input: object, type: BuiltInName = 'opportunities'): Promise<string[]> {
  const { rows } = await summary(type, input)
  return rows.filter((row) => row.count > 0).map((row) => `${row.label}: ${row.value} of ${row.count}`)
}

describe('A summary', () => {
  it('counts and sums up all records, exactly', async () => {
    expect(await lines({ measure: 'count' })).toEqual(['All: 5 of 5'])
    expect(await lines({ measure: 'sum', field: 'amount' })).toEqual(['All: -999899.71 of 5'])
    expect(await lines({ measure: 'average', field: 'amount' })).toEqual(['All: -249974.93 of 5'])
    expect(await lines({ measure: 'minimum', field: 'custom_fields.amount' })).toEqual(['All: -1000000.01 of 5'])
    expect(await lines({ measure: 'maximum', field: 'amount' })).toEqual(['All: 100 of 5'])
    expect(await lines({ measure: 'sum', field: 'score' })).toEqual(['All: 1.25 of 5'])
    expect((await summary('opportunities', { measure: 'sum', field: 'amount' })).currency).toMatch(/^[A-Z]{3}$/)
  })

  it('groups by a single choice in the order of its options, those without records and the empty ones too', async () => {
    const { rows } = await summary('opportunities', { measure: 'sum', field: 'amount', group_by: 'stage' })
    expect(rows).toHaveLength(11)
    expect(rows[0]).toMatchObject({ label: 'Prospecting', value: 0.3, count: 2 })
    expect(rows[1]).toMatchObject({ label: 'Qualification', value: 0, count: 0 })
    expect(rows[8]).toMatchObject({ label: 'Closed Won', value: 100, count: 2 })
    expect(rows[10]).toEqual({ key: null, label: 'Empty', value: -1000000.01, count: 1 })
    const average = await summary('opportunities', { measure: 'average', field: 'amount', group_by: 'stage' })
    expect(average.rows.slice(0, 2).map((row) => row.value)).toEqual([0.15, null])
  })

  it('is the same from the index of the values as from the records that a filter finds', async () => {
    const filter = { created_at: { $gte: '2000-01-01' } }
    for (const group_by of ['stage', 'hot'])
      for (const measured of [
        { measure: 'count' },
        ...['amount', 'score'].map((field) => ({ measure: 'sum', field })),
      ]) {
        const asked = { group_by, ...measured }
        expect(await summary('opportunities', asked)).toEqual(await summary('opportunities', { ...asked, filter }))
      }
  })

  it('groups by a multiple choice and by a toggle', async () => {
    expect(await lines({ measure: 'sum', field: 'amount', group_by: 'kinds' })).toEqual([
      'A: 0.1 of 1',
      'B: 0.3 of 2',
      'Empty: -999900.01 of 3',
    ])
    expect(await lines({ measure: 'count', group_by: 'hot' })).toEqual(['Yes: 1 of 1', 'No: 1 of 1', 'Empty: 3 of 3'])
  })

  it('groups by a relation, most records first; what is deleted is none', async () => {
    expect(await lines({ measure: 'sum', field: 'amount', group_by: 'company' })).toEqual([
      'Acme: 0.3 of 2',
      'Beta: 100 of 1',
      'Empty: -1000000.01 of 2',
    ])
    expect(await lines({ measure: 'count', group_by: 'creator' })).toEqual([`${workspace.owner.name}: 5 of 5`])
  })

  it('groups tasks by those to whom they are assigned, and by what they are about', async () => {
    const { api, owner } = workspace
    const member = await workspace.member('member')
    await made(api, 'tasks', { assignee_ids: [owner.id, member.id], company_ids: [acme.id] })
    await made(api, 'tasks', { assignee_ids: [member.id] })
    await made(api, 'tasks')
    expect(await lines({ measure: 'count', group_by: 'assignees' }, 'tasks')).toEqual([
      `${member.name}: 2 of 2`,
      `${owner.name}: 1 of 1`,
      'Empty: 1 of 1',
    ])
    expect(await lines({ measure: 'count', group_by: 'companies' }, 'tasks')).toEqual(['Acme: 1 of 1', 'Empty: 2 of 2'])
    await workspace.remove(member)
    expect(await lines({ measure: 'count', group_by: 'assignees' }, 'tasks')).toEqual([
      `${owner.name}: 1 of 1`,
      'Empty: 2 of 2',
    ])
  })

  it('groups by the month of a date, of a time and of the creation', async () => {
    expect(await lines({ measure: 'count', group_by: 'close_date' })).toEqual([
      '2026-01: 2 of 2',
      '2026-03: 1 of 1',
      'Empty: 2 of 2',
    ])
    const month = acme.attributes.created_at.slice(0, 7)
    for (const group_by of ['created_at', 'updated_at']) {
      expect(await lines({ measure: 'count', group_by })).toEqual([`${month}: 5 of 5`])
    }
    await made(workspace.api, 'tasks', { custom_fields: { due_date: '2026-02-28T23:59:59Z' } })
    expect((await lines({ measure: 'count', group_by: 'due_date' }, 'tasks'))[0]).toBe('2026-02: 1 of 1')
  })

  it('works with any filter', async () => {
    const sum = (filter: object, group_by?: string) => lines({ measure: 'sum', field: 'amount', filter, group_by })
    expect(await sum({ custom_fields: { stage: { $eq: 'Prospecting' } } })).toEqual(['All: 0.3 of 2'])
    expect(await sum({ company: { name: { $contains: 'CM' } } }, 'company')).toEqual(['Acme: 0.3 of 2'])
    expect(await sum({ custom_fields: { amount: { $lt: 1 } } }, 'company')).toEqual([
      'Acme: 0.3 of 2',
      'Empty: -1000000.01 of 1',
    ])
    expect(await sum({ $not: { custom_fields: { stage: { $is_empty: false } } } }, 'stage')).toEqual([
      'Empty: -1000000.01 of 1',
    ])
    expect(await sum({ $or: [{ custom_fields: { hot: { $eq: true } } }, { creator: { $in: [acme.id] } }] })).toEqual([
      'All: 0.2 of 1',
    ])
    expect(await sum({ custom_fields: { stage: { $eq: 'Prospecting' } } }, 'created_at')).toHaveLength(1)
    expect(await lines({ measure: 'count', filter: { name: { $eq: 'nobody' } } })).toEqual([])
  })

  it('is up to date after every write', async () => {
    const count = async () => (await summary('companies', { measure: 'count' })).rows[0]?.value
    const before = await count()
    const { id } = await made(workspace.api, 'companies')
    expect(await count()).toBe(Number(before) + 1)
    await gone(workspace.api, 'companies', id)
    expect(await count()).toBe(before)
  })

  it('sees this workspace alone, and needs the ability to read', async () => {
    const neighbour = await newWorkspace()
    const scope = await neighbour.scope()
    const input = { measure: 'count', filter: { company: { $in: [acme.id] } } }
    expect((await summarizeRecords(scope, registry.opportunities, input)).rows[0]?.count).toBe(0)
    const writer = as(await workspace.scope(), { abilities: ['create'] })
    expect((await refusalOf(summarizeRecords(writer, registry.companies, { measure: 'count' })))[0]).toContain('"read"')
  })

  it('refuses what it does not know, and names what it does', async () => {
    const problems = await refusalOf(
      summary('opportunities', { measure: 'total', group_by: 'stages', filter: { nonsense: 1 }, by: 'x' }),
    )
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['by', 'measure', 'filter.nonsense', 'group_by'])
    expect(problems[3]).toContain('Did you mean stage?')
    expect(await refusalOf(summary('opportunities', { measure: 'sum' }))).toEqual([
      'field: The field is required for sum. Accepted: amount, score.',
    ])
    expect((await refusalOf(summary('opportunities', { measure: 'sum', field: 'stage' })))[0]).toContain(
      'Accepted: amount',
    )
    expect((await refusalOf(summary('companies', { measure: 'count', field: 'icp' })))[0]).toContain('takes no field')
    expect((await refusalOf(summary('companies', { measure: 'count', group_by: 'people' })))[0]).toMatch(/^group_by/)
    expect((await refusalOf(summary('companies', { measure: 'count', group_by: { a: 1 } })))[0]).toMatch(/^group_by/)
  })
})

it('A summary shows the 200 largest groups, and the others as one', async () => {
  const many = await newWorkspace()
  const sizes = { companies: 260, people: 1000, opportunities: 2000, tasks: 0, notes: 0 }
  await loadSample(await many.scope(), { sizes, seed: 1 })
  await many.api.post('/opportunities', { name: 'Without a company' })
  const scope = await many.scope()
  const { rows } = await summarizeRecords(scope, registry.opportunities, {
    measure: 'sum',
    field: 'amount',
    group_by: 'company',
  })
  expect(rows).toHaveLength(202)
  expect(rows.at(-1)).toMatchObject({ key: 'other', label: 'Other' })
  expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(2001)
  const whole = await summarizeRecords(scope, registry.opportunities, { measure: 'sum', field: 'amount' })
  const cents = rows.reduce((sum, row) => sum + Math.round((row.value ?? 0) * 100), 0)
  expect(cents).toBe(Math.round((whole.rows[0]?.value ?? 0) * 100))
})
