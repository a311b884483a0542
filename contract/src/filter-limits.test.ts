import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleSchema } from '../test/definitions.ts'
import { type Issue, reportInto } from './issue.ts'
import { parseFilter } from './parse-filter.ts'
import { resourceIn } from './resource.ts'

const schema = sampleSchema()
const companies = resourceIn(schema, 'companies')
const id1 = '01jd3k4m5n6p7q8r9s0t1v2w3x'
const id2 = '01jd3k4m5n6p7q8r9s0t1v2w3y'

function parse(raw: unknown): { condition?: object; issues: Issue[] } {
  const issues: Issue[] = []
  const condition = parseFilter(raw, { resource: companies, loose: false }, reportInto(issues))
  return { condition, issues }
}

function paths(raw: unknown): string[] {
  const { condition, issues } = parse(raw)
  expect(condition).toBeUndefined()
  return issues.map((issue) => issue.path)
}

describe('strictness', () => {
  it.each([
    [{ name: 'A' }, 'filter.name'],
    [{ name: ['A'] }, 'filter.name'],
    [{ name: {} }, 'filter.name'],
    [{ name: null }, 'filter.name'],
    [{ name: { eq: 'A' } }, 'filter.name.eq'],
    [{ name: { $gt: 'A' } }, 'filter.name.$gt'],
    [{ name: { $eq: 3 } }, 'filter.name.$eq'],
    [{ name: { $eq: 'a\u0000' } }, 'filter.name.$eq'],
    [{ name: { $eq: '\ud800' } }, 'filter.name.$eq'],
    [{ name: { $eq: 'x'.repeat(2049) } }, 'filter.name.$eq'],
    [{ name: { $contains: '' } }, 'filter.name.$contains'],
    [{ name: { $is_empty: 'true' } }, 'filter.name.$is_empty'],
    [{ created_at: { $eq: '2026-02-30' } }, 'filter.created_at.$eq'],
    [{ created_at: { $contains: '2026' } }, 'filter.created_at.$contains'],
    [{ $eq: 'A' }, 'filter.$eq'],
    [{ constructor: { $eq: 'A' } }, 'filter.constructor'],
    [{ name: { constructor: 'A' } }, 'filter.name.constructor'],
    [JSON.parse('{"__proto__":{"$eq":"A"}}'), 'filter.__proto__'],
    [JSON.parse('{"custom_fields":{"__proto__":{"$eq":"A"}}}'), 'filter.custom_fields.__proto__'],
    ['text', 'filter'],
    [[{ name: { $eq: 'A' } }], 'filter'],
    [7, 'filter'],
    [false, 'filter'],
  ])('refuses %j', (raw, path) => {
    expect(paths(raw)).toEqual([path])
  })

  it('says what is accepted and what may have been meant', () => {
    expect(parse({ nam: { $eq: 'A' } }).issues[0]?.message).toBe(
      'The filter of companies does not take nam. Accepted: id, name, created_at, updated_at, creation_source, creator, ' +
        'accountOwner, people, opportunities, tasks, notes, external_ids, custom_fields, $and, $or, $not, $search. ' +
        'Did you mean name?',
    )
    expect(parse({ name: { eq: 'A' } }).issues[0]?.message).toBe(
      'The filter name does not take eq. Accepted: $eq, $contains, $is_empty. Did you mean $eq?',
    )
  })

  it('gathers all problems', () => {
    expect(paths({ nope: {}, name: 'A', $or: [{ name: { eq: 'A' } }, {}], people: { $in: ['x'] } })).toEqual([
      'filter.nope',
      'filter.name',
      'filter.$or.0.name.eq',
      'filter.$or.1',
      'filter.people.$in.0',
    ])
  })

  it('repeats no more than a little of what was sent', () => {
    const [issue] = parse({ ['x'.repeat(10_000)]: 1 }).issues
    expect(issue?.path.length).toBeLessThan(150)
    expect(issue?.message.length).toBeLessThan(400)
  })

  it('stops after a hundred problems', () => {
    const raw = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`unknown${i}`, 1]))
    expect(parse(raw).issues).toHaveLength(100)
  })

  it('is not overcome by depth', () => {
    let raw: unknown = { name: { $eq: 'A' } }
    for (let i = 0; i < 10_000; i++) raw = { $not: raw }
    expect(paths(raw)).toEqual(['filter.$not.$not.$not.$not'])
  })

  it('reports under the path it is given', () => {
    const issues: Issue[] = []
    const context = { resource: companies, loose: false, path: 'where' }
    parseFilter({ nope: 1 }, context, reportInto(issues))
    expect(issues[0]?.path).toBe('where.nope')
  })
})

describe('the number of conditions', () => {
  const conditions = (count: number) => Array.from({ length: count }, () => ({ name: { $eq: 'A' } }))

  it('is at most 20, each operator counted, at any depth', () => {
    expect(parse({ $or: conditions(20) }).issues).toEqual([])
    const { issues } = parse({ $or: conditions(21) })
    expect(issues).toEqual([{ path: 'filter', message: expect.stringContaining('at most 20 conditions') }])
    expect(paths({ $or: conditions(19), people: { name: { $eq: 'A', $contains: 'b' } } })).toEqual(['filter'])
    expect(parse({ $or: conditions(18), people: { name: { $eq: 'A', $contains: 'b' } } }).issues).toEqual([])
    expect(paths({ $or: conditions(18), people: { $in: [id1], $not_in: [id2], $is_empty: false } })).toEqual(['filter'])
    const domain = { $in: ['a.com'], $not_in: ['b.com'] }
    expect(paths({ $or: conditions(18), custom_fields: { email: { domain, $is_empty: true } } })).toEqual(['filter'])
  })

  it('is reported once', () => {
    expect(paths({ $or: conditions(1000) })).toEqual(['filter'])
  })
})

describe('any input at all', () => {
  const words = ['$and', '$or', '$not', '$eq', '$in', '$not_in', '$is_empty', '$has_any', '$contains', '$gt', '0', 'x']
  const names = ['name', 'title', 'created_at', 'creation_source', 'people', 'company', 'creator', '__proto__']
  const codes = ['custom_fields', 'text', 'email', 'domain', 'select', 'phone', 'assigned_to_me', 'constructor']
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 7, depthSize: 'large' },
      fc.constantFrom<unknown>(
        true,
        null,
        7,
        '',
        'A',
        'a,b',
        '1',
        id1,
        'api',
        '2026-01-01',
        'Low',
        '+4930123456',
        'a.com',
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(fc.constantFrom(...words, ...names, ...codes), tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))

  it('gives a condition, nothing, or problems under the filter, and never throws', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...schema.values()), fc.boolean(), (raw, resource, loose) => {
        const issues: Issue[] = []
        const condition = parseFilter(raw, { resource, loose }, reportInto(issues))
        if (issues.length > 0) expect(condition).toBeUndefined()
        for (const issue of issues) {
          expect(issue.path).toMatch(/^filter(\.|$)/)
          expect(issue.message).toMatch(/[.?]$/)
        }
      }),
      { numRuns: 500 },
    )
  })
})
