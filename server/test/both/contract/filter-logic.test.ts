import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  definitionOf,
  kindOf,
  type OwnKind,
  takenValues,
  type ValueTypeName,
  valueTypeNames,
} from '../../field-samples.ts'
import { found, foundInAddress, foundInBody, recordOf } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources

/** Two values of a field, and for each the tests that only it passes. */
type Pair = readonly [low: unknown, high: unknown, ofLow: Tests, ofHigh: Tests]
type Tests = Record<string, unknown>

const pairs: Readonly<Record<OwnKind, Pair>> = {
  Text: ['one', 'two', { $eq: 'one', $contains: 'ON' }, { $contains: 'tw' }],
  LongText: ['one', 'two', { $contains: 'ON' }, { $contains: 'two' }],
  Number: [1, 2, { $eq: 1, $lt: 2, $lte: 1.5 }, { $eq: 2, $gt: 1, $gte: 1.5 }],
  Date: [
    '2026-01-01',
    '2026-01-02',
    { $eq: '2026-01-01', $lt: '2026-01-02', $lte: '2026-01-01' },
    { $gt: '2026-01-01', $gte: '2026-01-02' },
  ],
  DateTime: [
    '2026-01-01',
    '2026-01-02T10:00:00Z',
    { $lt: '2026-01-02', $lte: '2026-01-01' },
    { $eq: '2026-01-02', $gt: '2026-01-01', $gte: '2026-01-02' },
  ],
  Boolean: [false, true, { $eq: false }, { $eq: true }],
  Choice: ['A', 'B', { $eq: 'A', $in: ['a'] }, { $in: ['B'] }],
  Choices: [['A'], ['B'], { $has_any: ['A'] }, { $has_any: ['b'] }],
  Tags: [['a'], ['b'], { $has_any: ['a'] }, { $has_any: ['b'] }],
  Emails: [['a@a.com'], ['b@b.com'], { $has_any: ['A@A.com'], domain: { $in: ['a.com'] } }, {}],
  Phones: [['+14155550100'], ['+14155550101'], { $has_any: ['+1 415 555 0100'] }, {}],
  Links: [['https://a.com/x'], ['https://b.com/x'], { $has_any: ['a.com/X'], domain: { $in: ['A.com'] } }, {}],
  Domains: [['a.com'], ['b.com'], { $has_any: ['www.a.com'] }, {}],
}

/** A type that takes only a few values has its own. */
function pairOf(name: ValueTypeName): Pair {
  const [low, high] = takenValues(name) ?? []
  return low === undefined ? pairs[kindOf(name)] : [low, high, { $eq: low }, { $eq: high }]
}

/** Every test of a type, with the record that passes it and the one that does not. */
function testsOf(name: ValueTypeName) {
  const [, , ofLow, ofHigh] = pairOf(name)
  return [
    ...Object.entries(ofLow).map(([operator, operand]) => ({ operator, operand, passes: 'one', fails: 'two' })),
    ...Object.entries(ofHigh).map(([operator, operand]) => ({ operator, operand, passes: 'two', fails: 'one' })),
  ]
}

const negatives: Record<string, string> = { $in: '$not_in', $has_any: '$has_none' }
const codeOf = (name: string) => `my_${name.replaceAll('-', '_')}`

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  const scope = async () => workspace.scope()
  for (const type of types) {
    for (const name of valueTypeNames) {
      const rest = definitionOf(name, ['A', 'B'])
      await workspace.field(type, { name: `My ${name}`, type: name, code: codeOf(name), ...rest })
    }
    const fill = (place: 0 | 1) => {
      const sampled = valueTypeNames.map((name) => [codeOf(name), pairOf(name)[place]])
      return { custom_fields: Object.fromEntries(sampled) }
    }
    await recordOf(await scope(), type, { label: 'empty' })
    await recordOf(await scope(), type, { label: 'one', ...fill(0) })
    await recordOf(await scope(), type, { label: 'two', ...fill(1) })
    const id = await recordOf(await scope(), type, { label: 'deleted', ...fill(1) })
    await workspace.api.delete(`/${type}/${id}`)
  }
})

describe.each(types)('empty fields of %s', (type) => {
  it.each(valueTypeNames)('%s: $not also returns records where the inner field is empty', async (name) => {
    for (const { operator, operand, passes, fails } of testsOf(name)) {
      const condition = { custom_fields: { [codeOf(name)]: { [operator]: operand } } }
      expect(await found(workspace.api, type, condition), operator).toEqual([passes])
      expect(await found(workspace.api, type, { $not: condition }), operator).toEqual(['empty', fails])
    }
  })

  it('$not_in and $has_none also match records where the field is empty', async () => {
    for (const name of valueTypeNames) {
      for (const { operator, operand, passes, fails } of testsOf(name)) {
        const negative = negatives[operator]
        if (negative === undefined) continue
        const condition = { custom_fields: { [codeOf(name)]: { [negative]: operand } } }
        expect(await found(workspace.api, type, condition), name).toEqual(['empty', fails])
        expect(await found(workspace.api, type, { $not: condition }), name).toEqual([passes])
      }
    }
  })

  it('$is_empty true and false are complements, under $not too', async () => {
    for (const name of valueTypeNames) {
      const asks = (empty: boolean) => ({ custom_fields: { [codeOf(name)]: { $is_empty: empty } } })
      expect(await foundInBody(workspace.api, type, asks(true)), name).toEqual(['empty'])
      expect(await foundInBody(workspace.api, type, { $not: asks(false) }), name).toEqual(['empty'])
      expect(await foundInBody(workspace.api, type, asks(false)), name).toEqual(['one', 'two'])
      expect(await foundInBody(workspace.api, type, { $not: asks(true) }), name).toEqual(['one', 'two'])
    }
  })
})

describe.each(types)('logic over %s', (type: ResourceName) => {
  const is = (label: string) => ({ [declared(type).label]: { $eq: label } })
  const number = (test: object) => ({ custom_fields: { my_number: test } })
  const cases: [string, object, string[]][] = [
    ['$and: all hold', { $and: [is('one'), number({ $eq: 1 })] }, ['one']],
    ['$and: one does not', { $and: [is('one'), number({ $eq: 2 })] }, []],
    ['$and of one', { $and: [is('one')] }, ['one']],
    ['$or: any holds', { $or: [is('one'), number({ $eq: 2 })] }, ['one', 'two']],
    ['$or of one', { $or: [is('two')] }, ['two']],
    ['$or: none holds', { $or: [is('x'), is('y')] }, []],
    ['$or of what overlaps', { $or: [is('one'), number({ $gte: 1 }), is('two')] }, ['one', 'two']],
    ['$not', { $not: is('one') }, ['empty', 'two']],
    ['$not of nothing', { $not: is('nobody') }, ['empty', 'one', 'two']],
    ['$not of everything', { $not: { created_at: { $is_empty: false } } }, []],
    ['$not negates its keys together', { $not: { ...is('one'), ...number({ $eq: 2 }) } }, ['empty', 'one', 'two']],
    ['$not negates operators together', { $not: number({ $gt: 0, $lt: 2 }) }, ['empty', 'two']],
    ['$not of $or', { $not: { $or: [is('one'), is('two')] } }, ['empty']],
    ['$not of $and', { $not: { $and: [is('one'), number({ $eq: 1 })] } }, ['empty', 'two']],
    ['$not of $not', { $not: { $not: is('one') } }, ['one']],
    ['keys of one object are joined by AND', { ...is('one'), ...number({ $gte: 1 }) }, ['one']],
    ['also together with logic', { ...number({ $gte: 1 }), $not: is('one'), $or: [is('one'), is('two')] }, ['two']],
    ['also within a list', { $or: [{ ...is('one'), ...number({ $eq: 2 }) }, is('two')] }, ['two']],
    ['three levels', { $or: [{ $and: [{ $not: is('one') }, number({ $gte: 1 })] }, is('one')] }, ['one', 'two']],
    ['$and, $or and $not together', { $and: [is('one')], $or: [is('one')], $not: is('two') }, ['one']],
  ]
  it.each(cases)('%s', async (_what, filter, expected) => {
    expect(await found(workspace.api, type, filter)).toEqual(expected)
  })

  it('$and, $or and $not work in a query string, in the order of the numbers or not', async () => {
    const { label } = declared(type)
    for (const query of [
      `filter[$or][0][${label}][$eq]=one&filter[$or][1][${label}][$eq]=two`,
      `filter[$or][7][${label}][$eq]=two&filter[$or][3][${label}][$eq]=one`,
      `filter%5B%24or%5D%5B0%5D%5B${label}%5D%5B%24eq%5D=one&filter[%24or][1][custom_fields][my_number][$eq]=2`,
      `filter[$not][${label}][$eq]=empty`,
    ]) {
      expect(await foundInAddress(workspace.api, type, query)).toEqual(['one', 'two'])
    }
  })
})

describe('no filter', () => {
  it.each([[undefined], [null], [''], [{}], [[]], [{ custom_fields: {} }]])('%j means none', async (filter) => {
    for (const type of types) {
      expect(await foundInBody(workspace.api, type, filter)).toEqual(['empty', 'one', 'two'])
    }
  })

  it.each(['', 'filter=', 'filter[custom_fields]='])('the query string "%s" means none', async (query) => {
    for (const type of types) {
      expect(await foundInAddress(workspace.api, type, query)).toEqual(['empty', 'one', 'two'])
    }
  })
})
