import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources

const numbers = [-9007199254740992, -2.5, 0, 0.1, 0.3, 1, 1.005, 10, 9007199254740992]
const amounts = [-1.5, 0, 0.1, 0.3, 10, 1234567.89]
const days = ['0001-01-01', '2024-02-29', '2026-03-09', '2026-03-10', '2026-03-11', '9999-12-31']
const moments = [
  '2026-03-09T23:59:59.999Z',
  '2026-03-10T00:00:00.000Z',
  '2026-03-10T12:30:00.000Z',
  '2026-03-10T23:59:59.999Z',
  '2026-03-11T00:00:00.000Z',
]

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of types) {
    await workspace.field(type, { name: 'Number', type: 'number', code: 'number' })
    await workspace.field(type, { name: 'Money', type: 'currency', code: 'money' })
    await workspace.field(type, { name: 'Day', type: 'date', code: 'day' })
    await workspace.field(type, { name: 'Moment', type: 'date-time', code: 'moment' })
    const scope = await workspace.scope()
    const make = (code: string, value: unknown, index: number) =>
      recordOf(scope, type, { label: `${code} ${index}: ${value}`, custom_fields: { [code]: value } })
    for (const [index, value] of numbers.entries()) await make('number', value, index)
    for (const [index, value] of amounts.entries()) await make('money', value, index)
    for (const [index, value] of days.entries()) await make('day', value, index)
    for (const [index, value] of moments.entries()) await make('moment', value, index)
  }
})

/** The values that an operator lets through, worked out with JavaScript's own comparison. */
function passing<T>(values: readonly T[], operator: string, operand: T): T[] {
  const tests: Record<string, (value: T) => boolean> = {
    $eq: (value) => value === operand,
    $gt: (value) => value > operand,
    $gte: (value) => value >= operand,
    $lt: (value) => value < operand,
    $lte: (value) => value <= operand,
  }
  return values.filter((value) => tests[operator]?.(value))
}

const comparisons = ['$eq', '$gt', '$gte', '$lt', '$lte']

describe.each(types)('filters on numbers and dates of %s', (type) => {
  const ask = async (code: string, test: object) => {
    const labels = await found(workspace.api, type, { custom_fields: { [code]: test } })
    return labels.map((label) => label.replace(/^\w+ \d+: /, ''))
  }

  it.each(comparisons)('number and currency take %s', async (operator) => {
    for (const operand of [-2.5, 0.2, 0.3, 9007199254740992]) {
      const expected = passing(numbers, operator, operand).map(String)
      expect(await ask('number', { [operator]: operand })).toEqual(expected)
    }
    for (const operand of [0, 0.3, 0.1 + 0.2]) {
      expect(await ask('money', { [operator]: operand })).toEqual(passing(amounts, operator, operand).map(String))
    }
  })

  it.each(comparisons)('date takes %s, and uses the day of a date-time operand', async (operator) => {
    for (const day of ['0001-01-01', '2025-06-15', '2026-03-10']) {
      expect(await ask('day', { [operator]: day })).toEqual(passing(days, operator, day))
    }
    for (const time of ['2026-03-10T00:00:00Z', '2026-03-10T23:59:59.999', '2026-03-11T01:30+02:00']) {
      expect(await ask('day', { [operator]: time })).toEqual(passing(days, operator, '2026-03-10'))
    }
  })

  it.each(comparisons)('date-time takes %s', async (operator) => {
    for (const moment of ['2026-03-10T12:30:00.000Z', '2026-03-10T12:30:00.001Z', '2026-03-11T00:00:00.000Z']) {
      expect(await ask('moment', { [operator]: moment })).toEqual(passing(moments, operator, moment))
    }
    const elsewhere = { [operator]: '2026-03-10T14:30:00+02:00' }
    expect(await ask('moment', elsewhere)).toEqual(passing(moments, operator, moments[2]))
  })

  const [before, start, noon, end, after] = moments
  it.each([
    ['$eq', [start, noon, end]],
    ['$gt', [after]],
    ['$gte', [start, noon, end, after]],
    ['$lt', [before]],
    ['$lte', [before, start, noon, end]],
  ])('a date-time operand given as a date without a time matches that whole day: %s', async (operator, expected) => {
    expect(await ask('moment', { [operator]: '2026-03-10' })).toEqual(expected)
  })

  it('comparisons never match records where the field is empty', async () => {
    for (const [code, operand, count] of [
      ['number', -1e300, numbers.length],
      ['money', -1e300, amounts.length],
      ['day', '0001-01-01', days.length],
      ['moment', '0001-01-01', moments.length],
    ] as const) {
      expect(await ask(code, { $gte: operand })).toHaveLength(count)
      expect(await ask(code, { $is_empty: false })).toHaveLength(count)
      expect(await ask(code, { $is_empty: true })).toHaveLength(26 - count)
    }
  })

  it('several operators of one field are joined by AND', async () => {
    expect(await ask('number', { $gte: 0, $lt: 1 })).toEqual(['0', '0.1', '0.3'])
    expect(await ask('day', { $gt: '2024-02-29', $lte: '2026-03-10' })).toEqual(['2026-03-09', '2026-03-10'])
    expect(await ask('number', { $gt: 1, $lt: 1 })).toEqual([])
  })

  it.each(['number', 'money', 'day', 'moment'])('%s takes its own operators only', async (code) => {
    for (const operator of ['$contains', '$in', '$not_in', '$has_any', '$has_none']) {
      const errors = await refused(workspace.api, type, { custom_fields: { [code]: { [operator]: '1' } } })
      expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}.${operator}`])
      expect(Object.values(errors)[0]?.[0]).toContain('Accepted: $eq, $gt, $gte, $lt, $lte, $is_empty.')
    }
  })
})

describe('the query string', () => {
  it.each([
    ['10', ['number 7: 10']],
    ['10.0', ['number 7: 10']],
    ['1e1', ['number 7: 10']],
    ['%2B10', ['number 7: 10']],
    ['0010', ['number 7: 10']],
    ['-2.5', ['number 1: -2.5']],
    ['-0', ['number 2: 0']],
    ['.1', ['number 3: 0.1']],
    ['9007199254740992', ['number 8: 9007199254740992']],
  ])('reads numbers by the type of the field: %s', async (operand, expected) => {
    const query = `filter[custom_fields][number][$eq]=${operand}`
    expect(await foundInAddress(workspace.api, 'companies', query)).toEqual(expected)
  })

  it.each(['', 'ten', '1,5', '0x10', 'NaN', 'Infinity', '1e400', '1 0', '--1', 'true', '1_000', '１'])(
    'refuses what is no number: %s',
    async (operand) => {
      for (const code of ['number', 'money']) {
        const query = `filter[custom_fields][${code}][$gt]=${encodeURIComponent(operand)}`
        const errors = await refusedInAddress(workspace.api, 'companies', query)
        expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}.$gt`])
        expect(Object.values(errors)[0]?.[0]).toContain('must be a number')
      }
    },
  )

  it('takes the offset of a time only when its plus sign is encoded', async () => {
    const query = (time: string) => `filter[custom_fields][moment][$eq]=${time}`
    const encoded = await foundInAddress(workspace.api, 'companies', query('2026-03-10T13:30:00%2B01:00'))
    expect(encoded).toEqual(['moment 2: 2026-03-10T12:30:00.000Z'])
    const errors = await refusedInAddress(workspace.api, 'companies', query('2026-03-10T13:30:00+01:00'))
    expect(Object.keys(errors)).toEqual(['filter.custom_fields.moment.$eq'])
  })
})

describe('a body', () => {
  it.each([['ten'], [true], [null], [[1]], [{}], ['']])('refuses %j as a number', async (operand) => {
    const filter = { custom_fields: { number: { $lte: operand }, money: { $eq: operand } } }
    expect(Object.keys(await refusedInBody(workspace.api, 'tasks', filter))).toEqual([
      'filter.custom_fields.number.$lte',
      'filter.custom_fields.money.$eq',
    ])
  })

  it.each([['2026-02-30'], ['10.03.2026'], ['2026-03-10 10:00'], [''], [20260310], [null], [['2026-03-10']]])(
    'refuses %j as a date',
    async (operand) => {
      const filter = { custom_fields: { day: { $lte: operand }, moment: { $eq: operand } } }
      expect(Object.keys(await refusedInBody(workspace.api, 'tasks', filter))).toEqual([
        'filter.custom_fields.day.$lte',
        'filter.custom_fields.moment.$eq',
      ])
    },
  )
})
