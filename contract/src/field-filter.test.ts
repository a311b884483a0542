import { describe, expect, it } from 'vitest'
import { optionId, sampleSchema } from '../test/definitions.ts'
import { fieldTypeNames } from './field-type-name.ts'
import { fieldTypes } from './field-types.ts'
import type { Test } from './filter.ts'
import { type Issue, reportInto } from './issue.ts'
import { operators } from './operators.ts'
import { parseFilter } from './parse-filter.ts'
import { parseQueryString } from './query-string.ts'
import { resourceIn } from './resource.ts'

const schema = sampleSchema()

function parse(custom_fields: unknown, loose = false): { tests: Test[]; issues: Issue[] } {
  const issues: Issue[] = []
  const context = { resource: resourceIn(schema, 'companies'), loose }
  const condition = parseFilter({ custom_fields }, context, reportInto(issues))
  const list = condition === undefined ? [] : condition.node === 'and' ? condition.conditions : [condition]
  return { tests: list.flatMap((node) => (node.node === 'field' ? [node.test] : [])), issues }
}

function query(rest: string): { tests: Test[]; issues: Issue[] } {
  const { c } = parseQueryString(`c${rest}`, () => {})
  return parse(c, true)
}

function path(custom_fields: unknown): string | undefined {
  const { issues } = parse(custom_fields)
  expect(issues).toHaveLength(1)
  return issues[0]?.path
}

describe('custom field filters', () => {
  const ownTypes = fieldTypeNames.filter((name) => !fieldTypes[name].refersTo)

  it.each(ownTypes)('of type %s take $is_empty, and every operator that is not theirs is refused', (type) => {
    const code = type.replaceAll('-', '_')
    expect(parse({ [code]: { $is_empty: true } })).toEqual({ tests: [{ test: 'empty', empty: true }], issues: [] })
    expect(query(`[${code}][$is_empty]=0`).tests).toEqual([{ test: 'empty', empty: false }])
    for (const operator of operators) {
      if (fieldTypes[type].operators.includes(operator)) continue
      const { issues } = parse({ [code]: { [operator]: 'x' } })
      expect(issues).toEqual([
        { path: `filter.custom_fields.${code}.${operator}`, message: expect.stringContaining('Accepted: ') },
      ])
    }
  })

  it('join several operators and fields by AND', () => {
    const { tests } = parse({ number: { $gt: 1, $lte: 5 }, text: { $contains: 'A' } })
    expect(tests).toEqual([
      { test: 'number', bounds: { after: 1 } },
      { test: 'number', bounds: { to: 5 } },
      { test: 'contains', part: 'a' },
    ])
  })

  it('read numbers, booleans and choices of a query string by the type', () => {
    expect(query('[number][$gt]=1.5').tests).toEqual([{ test: 'number', bounds: { after: 1.5 } }])
    expect(query('[toggle][$eq]=1').tests).toEqual([{ test: 'any', keys: ['true'] }])
    expect(query('[select][$in]=low,High').tests).toEqual([{ test: 'any', keys: [optionId(0), optionId(1)] }])
    expect(query('[select][$in][]=A, B').tests).toEqual([{ test: 'any', keys: [optionId(2)] }])
    expect(query('[multi_select][$has_none][0]=Low&c[multi_select][$has_none][1]=A, B').tests).toEqual([
      { test: 'none', keys: [optionId(0), optionId(2)] },
    ])
  })

  it('split text-valued lists by [] only', () => {
    const { tests } = query('[tags_input][$has_any][]=a,b&c[tags_input][$has_any][]=c')
    expect(tests).toMatchObject([{ test: 'any', keys: ['a,b', 'c'] }])
  })

  it('refuse an unknown option', () => {
    expect(path({ select: { $in: ['Low', 'nope'] } })).toBe('filter.custom_fields.select.$in.1')
    expect(path({ select: { $eq: 'nope' } })).toBe('filter.custom_fields.select.$eq')
  })

  it('refuse lists that are empty or too long, and operands that are too long', () => {
    expect(path({ email: { $has_any: [] } })).toBe('filter.custom_fields.email.$has_any')
    expect(path({ email: { $has_any: Array(101).fill('a@b.com') } })).toBe('filter.custom_fields.email.$has_any')
    expect(path({ text: { $eq: 'x'.repeat(2049) } })).toBe('filter.custom_fields.text.$eq')
    expect(path({ email: { domain: { $in: Array(101).fill('b.com') } } })).toBe('filter.custom_fields.email.domain.$in')
  })

  it('take the domain sub-field of email and link', () => {
    expect(parse({ email: { domain: { $in: ['Acme.com', 'acme.com'] } } }).tests).toEqual([
      { test: 'host-any', hosts: ['acme.com'] },
    ])
    expect(parse({ link: { domain: { $not_in: ['www.Acme.com'] } } }).tests).toEqual([
      { test: 'host-none', hosts: ['acme.com'] },
    ])
    expect(query('[email][domain][$in]=a.com,b.com').tests).toEqual([{ test: 'host-any', hosts: ['a.com', 'b.com'] }])
  })

  it.each([
    [{ email: { domain: { $eq: 'a.com' } } }, 'email.domain.$eq'],
    [{ email: { domain: {} } }, 'email.domain'],
    [{ email: { domain: 'a.com' } }, 'email.domain'],
    [{ email: { domain: { $in: 'a.com' } } }, 'email.domain.$in'],
    [{ email: { domain: { $in: ['https://a.com/x'] } } }, 'email.domain.$in.0'],
    [{ phone: { domain: { $in: ['a.com'] } } }, 'phone.domain'],
    [{ domain: { domain: { $in: ['a.com'] } } }, 'domain.domain'],
    [{ text: 'A' }, 'text'],
    [{ text: {} }, 'text'],
    [{ text: { contains: 'A' } }, 'text.contains'],
    [{ txet: { $eq: 'A' } }, 'txet'],
  ])('refuse %j', (raw, at) => {
    expect(path(raw)).toBe(`filter.custom_fields.${at}`)
  })

  it('name the nearest code', () => {
    const [issue] = parse({ currncy: { $eq: 1 } }).issues
    expect(issue?.message).toMatch(
      /^The companies have no custom field currncy\. Accepted: text, .*\. Did you mean currency\?$/,
    )
  })

  it('must be an object', () => {
    for (const raw of ['x', 7, null, [], [{ text: { $eq: 'A' } }]]) {
      expect(parse(raw).issues.map((issue) => issue.path)).toEqual(['filter.custom_fields'])
    }
  })
})
