import { describe, expect, it } from 'vitest'
import { sampleSchema } from '../test/definitions.ts'
import type { Condition } from './filter.ts'
import { type Issue, reportInto } from './issue.ts'
import { parseFilter } from './parse-filter.ts'
import { parseQueryString } from './query-string.ts'
import { type BuiltInName, resourceIn } from './resource.ts'

const schema = sampleSchema()
const id1 = '01jd3k4m5n6p7q8r9s0t1v2w3x'
const id2 = '01jd3k4m5n6p7q8r9s0t1v2w3y'

function parse(raw: unknown, type: BuiltInName = 'companies', loose = false): { condition?: object; issues: Issue[] } {
  const issues: Issue[] = []
  const condition = parseFilter(raw, { resource: resourceIn(schema, type), loose }, reportInto(issues))
  return { condition: condition && shown(condition), issues }
}

function query(text: string, type: BuiltInName = 'companies'): { condition?: object; issues: Issue[] } {
  const issues: Issue[] = []
  const { filter } = parseQueryString(text, reportInto(issues))
  const parsed = parse(filter, type, true)
  return { ...parsed, issues: [...issues, ...parsed.issues] }
}

/** Conditions with the names of resources and fields instead of the whole of them. */
function shown(condition: Condition): object {
  return JSON.parse(
    JSON.stringify(condition, (key, value) => {
      if (key === 'resource') return value.type
      if (key === 'field') return value.code
      return key === 'relation' ? undefined : value
    }),
  )
}

function paths(raw: unknown, type?: BuiltInName): string[] {
  const { condition, issues } = parse(raw, type)
  expect(condition).toBeUndefined()
  return issues.map((issue) => issue.path)
}

const named = (text: string) => ({
  node: 'attribute',
  resource: 'companies',
  attribute: 'name',
  test: { test: 'exact', key: text.toLowerCase(), text },
})

describe('a filter', () => {
  it.each([[undefined], [null], [''], [{}], [[]]])('%j means none', (raw) => {
    expect(parse(raw)).toEqual({ condition: undefined, issues: [] })
  })

  it('ignores an empty custom_fields at the top only', () => {
    expect(parse({ custom_fields: {} })).toEqual({ condition: undefined, issues: [] })
    expect(parse({ name: { $eq: 'A' }, custom_fields: {} })).toEqual({ condition: named('A'), issues: [] })
    expect(query('filter[custom_fields]=').issues).toEqual([])
    expect(paths({ $not: { custom_fields: {} } })).toEqual(['filter.$not.custom_fields'])
    expect(paths({ people: { custom_fields: {} } })).toEqual(['filter.people.custom_fields'])
  })

  it('joins the keys of one object by AND', () => {
    expect(parse({ name: { $eq: 'A', $contains: 'É' }, created_at: { $gt: '2026-01-01' } }).condition).toEqual({
      node: 'and',
      conditions: [
        named('A'),
        { ...named('A'), test: { test: 'contains', part: 'é' } },
        {
          node: 'attribute',
          resource: 'companies',
          attribute: 'created_at',
          test: { test: 'range', bounds: { after: '2026-01-01T23:59:59.999Z' } },
        },
      ],
    })
  })

  it('takes title where a record is named so', () => {
    expect(parse({ title: { $is_empty: false } }, 'notes').condition).toEqual({
      node: 'attribute',
      resource: 'notes',
      attribute: 'title',
      test: { test: 'empty', empty: false },
    })
    expect(paths({ name: { $eq: 'x' } }, 'notes')).toEqual(['filter.name'])
  })

  it('takes creation_source', () => {
    expect(parse({ creation_source: { $eq: 'api' } }).condition).toMatchObject({ test: { test: 'any', keys: ['api'] } })
    expect(parse({ creation_source: { $in: ['api', 'web', 'api'] } }).condition).toMatchObject({
      test: { test: 'any', keys: ['api', 'web'] },
    })
    expect(query('filter[creation_source][$not_in]=api, mcp').condition).toMatchObject({
      test: { test: 'none', keys: ['api', 'mcp'] },
    })
    const { issues } = parse({ creation_source: { $eq: 'API', $in: ['web', 'nope', 3] } })
    expect(issues.map((issue) => issue.path)).toEqual([
      'filter.creation_source.$eq',
      'filter.creation_source.$in.1',
      'filter.creation_source.$in.2',
    ])
    expect(issues[0]?.message).toContain('must be one of: web, api, mcp, import, sample. Did you mean api?')
  })

  it('takes assigned_to_me of tasks', () => {
    const node = { node: 'assigned-to-me', assigned: true }
    expect(parse({ assigned_to_me: { $eq: true } }, 'tasks').condition).toEqual(node)
    expect(query('filter[assigned_to_me][$eq]=1', 'tasks').condition).toEqual(node)
    expect(paths({ assigned_to_me: { $eq: 'true' } }, 'tasks')).toEqual(['filter.assigned_to_me.$eq'])
    expect(paths({ assigned_to_me: { $is_empty: true } }, 'tasks')).toEqual(['filter.assigned_to_me.$is_empty'])
    expect(paths({ assigned_to_me: { $eq: true } }, 'notes')).toEqual(['filter.assigned_to_me'])
  })
})

describe('logic', () => {
  it('nests', () => {
    expect(parse({ $or: [{ name: { $eq: 'A' } }, { $not: { name: { $eq: 'B' } } }] })).toEqual({
      condition: { node: 'or', conditions: [named('A'), { node: 'not', condition: named('B') }] },
      issues: [],
    })
  })

  it('joins a list by AND and negates all keys of $not together', () => {
    expect(parse({ $and: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' } }] }).condition).toMatchObject({ node: 'and' })
    expect(parse({ $not: { name: { $eq: 'A', $is_empty: true } } }).condition).toMatchObject({
      node: 'not',
      condition: { node: 'and' },
    })
  })

  it('arrives from a query string with numbers', () => {
    const condition = { node: 'or', conditions: [named('A'), named('B')] }
    expect(query('filter[$or][0][name][$eq]=A&filter[$or][1][name][$eq]=B')).toEqual({ condition, issues: [] })
    expect(query('filter[$not][name][$eq]=A')).toEqual({
      condition: { node: 'not', condition: named('A') },
      issues: [],
    })
  })

  it('takes three levels and no fourth', () => {
    expect(parse({ $or: [{ $and: [{ $not: { name: { $eq: 'A' } } }] }] }).issues).toEqual([])
    expect(paths({ $or: [{ $and: [{ $not: { $not: { name: { $eq: 'A' } } } }] }] })).toEqual([
      'filter.$or.0.$and.0.$not.$not',
    ])
    const logic = { $or: [{ $and: [{ company: { $not: { $not: { name: { $eq: 'A' } } } } }] }] }
    expect(paths(logic, 'people')).toEqual(['filter.$or.0.$and.0.company.$not.$not'])
  })

  it.each([
    [{ $and: [] }, 'filter.$and'],
    [{ $or: {} }, 'filter.$or'],
    [{ $or: { 0: { name: { $eq: 'A' } } } }, 'filter.$or'],
    [{ $or: [{}] }, 'filter.$or.0'],
    [{ $or: [{ name: { $eq: 'A' } }, 'x'] }, 'filter.$or.1'],
    [{ $not: {} }, 'filter.$not'],
    [{ $not: [{ name: { $eq: 'A' } }] }, 'filter.$not'],
    [{ $not: null }, 'filter.$not'],
  ])('refuses %j', (raw, path) => {
    expect(paths(raw)).toEqual([path])
  })
})

describe('a relation', () => {
  it('of members takes ids only', () => {
    expect(parse({ creator: { $in: [id1.toUpperCase(), id1] } }).condition).toEqual({
      node: 'link',
      resource: 'companies',
      name: 'creator',
      test: { test: 'in', ids: [id1] },
    })
    const { issues } = parse({ accountOwner: { name: { $eq: 'A' } }, creator: { $and: [], in: [] } })
    expect(issues.map((issue) => issue.path)).toEqual([
      'filter.accountOwner.name',
      'filter.creator.$and',
      'filter.creator.in',
    ])
    expect(issues[0]?.message).toContain('no nested conditions')
    expect(issues[2]?.message).toContain('Did you mean $in?')
  })

  it('means that one related record meets all conditions together, $in included', () => {
    const raw = { $in: [id1], name: { $eq: 'A' }, custom_fields: { job_title: { $contains: 'x' } }, $is_empty: false }
    expect(parse({ people: { ...raw, $not_in: [id2] } })).toEqual({
      condition: {
        node: 'and',
        conditions: [
          {
            node: 'related',
            resource: 'companies',
            name: 'people',
            to: 'people',
            ids: [id1],
            condition: {
              node: 'and',
              conditions: [
                { ...named('A'), resource: 'people' },
                { node: 'field', resource: 'people', field: 'job_title', test: { test: 'contains', part: 'x' } },
              ],
            },
          },
          { node: 'link', resource: 'companies', name: 'people', test: { test: 'empty', empty: false } },
          { node: 'link', resource: 'companies', name: 'people', test: { test: 'not-in', ids: [id2] } },
        ],
      },
      issues: [],
    })
  })

  it('keeps its negation inside', () => {
    expect(parse({ people: { $not: { name: { $eq: 'A' } } } }).condition).toMatchObject({
      node: 'related',
      condition: { node: 'not' },
    })
  })

  it('nests two levels and no third, members included', () => {
    expect(parse({ company: { people: { name: { $eq: 'A' } } } }, 'people').issues).toEqual([])
    expect(parse({ company: { creator: { $in: [id1] } } }, 'people').issues).toEqual([])
    expect(paths({ company: { people: { company: { $in: [id1] } } } }, 'people')).toEqual([
      'filter.company.people.company',
    ])
    expect(paths({ company: { people: { creator: { $in: [id1] } } } }, 'people')).toEqual([
      'filter.company.people.creator',
    ])
  })

  it('splits ids on commas in a query string', () => {
    const condition = { node: 'link', resource: 'people', name: 'company', test: { test: 'in', ids: [id1, id2] } }
    expect(query(`filter[company][$in]=${id1}, ${id2}`, 'people')).toEqual({ condition, issues: [] })
    expect(query(`filter[company][$in][]=${id1}&filter[company][$in][]=${id2}`, 'people').condition).toEqual(condition)
    expect(query(`filter[company][$in][0]=${id1}&filter[company][$in][1]=${id2}`, 'people').condition).toEqual(
      condition,
    )
    const many = Array.from({ length: 100 }, () => id1).join(',')
    expect(query(`filter[company][$in]=${many}`, 'people').issues).toEqual([])
  })

  it.each([
    [{ people: {} }, 'filter.people'],
    [{ people: id1 }, 'filter.people'],
    [{ people: [id1] }, 'filter.people'],
    [{ people: { $in: id1 } }, 'filter.people.$in'],
    [{ people: { $in: [] } }, 'filter.people.$in'],
    [{ people: { $in: [id1, 'x'] } }, 'filter.people.$in.1'],
    [{ people: { $not_in: [7] } }, 'filter.people.$not_in.0'],
    [{ people: { $is_empty: 1 } }, 'filter.people.$is_empty'],
    [{ people: { $eq: id1 } }, 'filter.people.$eq'],
    [{ people: { nam: { $eq: 'A' } } }, 'filter.people.nam'],
    [{ people: { $or: [{ $in: [id1] }] } }, 'filter.people.$or.0.$in'],
    [{ people: { $in: Array.from({ length: 101 }, () => id1) } }, 'filter.people.$in'],
  ])('refuses %j', (raw, path) => {
    expect(paths(raw)).toEqual([path])
  })
})
