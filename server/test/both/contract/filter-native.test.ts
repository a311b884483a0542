import { creationSources } from '@kith/contract/creation-source'
import { operators } from '@kith/contract/operators'
import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, recordOf, refused, refusedInBody } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

describe.each(types)('filters on the native fields of %s', (type) => {
  const { label } = declared(type)
  const names = ['50% of_ \\ "a"', 'Acme', 'acme', 'Acme Ltd', 'Straße', 'Zoë Šimić', '日本']
  const moments = [
    '2026-03-09T23:59:59.999Z',
    '2026-03-10T00:00:00.000Z',
    '2026-03-10T12:30:15.250Z',
    '2026-03-10T23:59:59.999Z',
    '2026-03-11T00:00:00.000Z',
  ]
  const [before, start, noon, end, after] = moments
  const ask = (filter: object) => found(workspace.api, type, filter)

  beforeAll(async () => {
    const scope = await workspace.scope()
    for (const name of names) await recordOf(scope, type, { label: name }, { at: '2020-01-01T00:00:00Z' })
    for (const moment of moments) await recordOf(scope, type, { label: moment }, { at: moment, source: 'web' })
  })

  it.each([
    ['Acme', ['Acme']],
    ['acme', ['acme']],
    ['ACME', []],
    ['Acme ', []],
    ['Acm', []],
    ['Zoë Šimić', ['Zoë Šimić']],
    ['日本', ['日本']],
    ['50% of_ \\ "a"', ['50% of_ \\ "a"']],
    ['%', []],
    ['', []],
  ])(`${label} $eq is exact: %s`, async (operand, expected) => {
    expect(await ask({ [label]: { $eq: operand } })).toEqual(expected)
  })

  it.each([
    ['ACM', ['Acme', 'acme', 'Acme Ltd']],
    ['cme l', ['Acme Ltd']],
    ['A', ['50% of_ \\ "a"', 'Acme', 'acme', 'Acme Ltd', 'Straße']],
    ['zoË ši', ['Zoë Šimić']],
    ['STRASSE', ['Straße']],
    ['本', ['日本']],
    ['%', ['50% of_ \\ "a"']],
    ['_', ['50% of_ \\ "a"']],
    ['\\', ['50% of_ \\ "a"']],
    ['"A"', ['50% of_ \\ "a"']],
    ['0% OF_ \\ "', ['50% of_ \\ "a"']],
    ['A%me', []],
    ['A__e', []],
    ['acme ltd.', []],
  ])(`${label} $contains takes any letter case, %% and _ are literal: %s`, async (operand, expected) => {
    expect(await ask({ [label]: { $contains: operand } })).toEqual(expected)
  })

  it(`${label} $is_empty takes true or false, in a query string also 1 or 0; a ${label} is never empty`, async () => {
    const all = [...names, ...moments].length
    expect(await ask({ [label]: { $is_empty: true } })).toEqual([])
    expect(await ask({ [label]: { $is_empty: false } })).toHaveLength(all)
    expect(await foundInAddress(workspace.api, type, `filter[${label}][$is_empty]=1`)).toEqual([])
    expect(await foundInAddress(workspace.api, type, `filter[${label}][$is_empty]=0`)).toHaveLength(all)
  })

  const times = ['created_at', 'updated_at'] as const
  const recent = { created_at: { $gte: '2026-03-01' } }

  it.each([
    ['$eq', [start, noon, end]],
    ['$gt', [after]],
    ['$gte', [start, noon, end, after]],
    ['$lt', [before]],
    ['$lte', [before, start, noon, end]],
  ])('a bare date against a time means that whole UTC day: %s', async (operator, expected) => {
    for (const name of times) {
      expect(await ask({ $and: [recent, { [name]: { [operator]: '2026-03-10' } }] })).toEqual(expected)
    }
  })

  it.each([
    ['$eq', [noon]],
    ['$gt', [end, after]],
    ['$gte', [noon, end, after]],
    ['$lt', [before, start]],
    ['$lte', [before, start, noon]],
  ])('%s compares with a moment', async (operator, expected) => {
    const forms = [noon, '2026-03-10T12:30:15.250', '2026-03-10T12:30:15.25Z', '2026-03-10T13:30:15.250+01:00']
    for (const name of times) {
      for (const operand of [...forms, '2026-03-09T23:00:15.250-13:30']) {
        expect(await ask({ $and: [recent, { [name]: { [operator]: operand } }] })).toEqual(expected)
      }
    }
  })

  it('seconds, fraction and offset are optional', async () => {
    for (const operand of ['2026-03-10T00:00', '2026-03-10T00:00Z', '2026-03-10T00:00:00', '2026-03-10T01:00+01:00']) {
      expect(await ask({ created_at: { $eq: operand } })).toEqual([start])
    }
  })

  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '10.03.2026',
    '2026-3-10',
    '2026-03',
    '2026',
    '20260310',
    '2026-03-10 12:30:15',
    '2026-03-10T',
    '2026-03-10T24:00:00Z',
    '2026-03-10T12:60:00Z',
    '2026-03-10T12:30:15+25:00',
    '2026-03-10T12:30:15 01:00',
    '1773145815',
    'yesterday',
    '',
  ])('any other text and impossible dates are 422: %s', async (operand) => {
    for (const name of times) {
      const path = `filter.${name}.$gte`
      expect(await refused(workspace.api, type, { [name]: { $gte: operand } })).toEqual({
        [path]: [expect.any(String)],
      })
    }
  })

  it.each([[1773145815], [null], [true], [['2026-03-10']], [{}]])('a time takes text only, not %j', async (operand) => {
    expect(Object.keys(await refusedInBody(workspace.api, type, { created_at: { $eq: operand } }))).toEqual([
      'filter.created_at.$eq',
    ])
  })

  it('times are never empty', async () => {
    for (const name of times) {
      expect(await ask({ [name]: { $is_empty: true } })).toEqual([])
      expect(await ask({ [name]: { $is_empty: false } })).toHaveLength(12)
    }
  })

  it('several operators of one field are joined by AND', async () => {
    expect(await ask({ created_at: { $gt: start, $lt: after, $lte: '2026-03-10' } })).toEqual([noon, end])
  })

  it('creation_source takes $eq, $in, $not_in and $is_empty', async () => {
    expect(await ask({ creation_source: { $eq: 'web' } })).toEqual(moments)
    expect(await ask({ creation_source: { $eq: 'mcp' } })).toEqual([])
    expect(await ask({ creation_source: { $in: ['mcp', 'web'] } })).toEqual(moments)
    expect(await ask({ creation_source: { $in: ['api', 'web'] } })).toHaveLength(12)
    expect(await ask({ creation_source: { $not_in: ['api', 'mcp'] } })).toEqual(moments)
    expect(await ask({ creation_source: { $is_empty: true } })).toEqual([])
    expect(await ask({ creation_source: { $is_empty: false } })).toHaveLength(12)
    for (const list of ['mcp,web', 'web', ' web , mcp']) {
      expect(await foundInAddress(workspace.api, type, `filter[creation_source][$in]=${list}`)).toEqual(moments)
    }
  })

  it('a creation_source that does not exist is 422 and names those that do', async () => {
    const errors = await refused(workspace.api, type, { creation_source: { $eq: 'wbe', $in: ['api', 'Web'] } })
    expect(Object.keys(errors)).toEqual(['filter.creation_source.$eq', 'filter.creation_source.$in.1'])
    for (const messages of Object.values(errors)) expect(messages[0]).toContain(creationSources.join(', '))
    expect(errors['filter.creation_source.$eq']?.[0]).toContain('Did you mean web?')
  })

  it.each([
    [label, ['$eq', '$contains', '$is_empty']],
    ['created_at', ['$eq', '$gt', '$gte', '$lt', '$lte', '$is_empty']],
    ['updated_at', ['$eq', '$gt', '$gte', '$lt', '$lte', '$is_empty']],
    ['creation_source', ['$eq', '$in', '$not_in', '$is_empty']],
  ])('%s takes no other operators than its own', async (name, own) => {
    for (const operator of operators.filter((candidate) => !own.includes(candidate))) {
      const errors = await refused(workspace.api, type, { [name]: { [operator]: 'x' } })
      expect(Object.keys(errors)).toEqual([`filter.${name}.${operator}`])
      expect(errors[`filter.${name}.${operator}`]?.[0]).toContain(`Accepted: ${own.join(', ')}.`)
    }
  })
})

describe('filters on updated_at', () => {
  it.each(types)('of %s follow a change, and those on created_at do not', async (type: ResourceName) => {
    const { api, ...own } = await workspaceWithOwn()
    const scope = await own.scope()
    const id = await recordOf(scope, type, { label: 'Changed' }, { at: '2026-03-10T10:00:00Z' })
    await recordOf(scope, type, { label: 'Kept' }, { at: '2026-03-10T11:00:00Z' })
    const changed = await api.patch(`/${type}/${id}`, { [declared(type).label]: 'Changed again' })
    const { created_at, updated_at } = changed.body.data.attributes
    expect(await found(api, type, { updated_at: { $eq: updated_at } })).toEqual(['Changed again'])
    expect(await found(api, type, { updated_at: { $lte: '2026-03-10' } })).toEqual(['Kept'])
    expect(await found(api, type, { created_at: { $eq: created_at } })).toEqual(['Changed again'])
    expect(await found(api, type, { [declared(type).label]: { $contains: 'changed' } })).toEqual(['Changed again'])
    expect(await found(api, type, { [declared(type).label]: { $eq: 'Changed' } })).toEqual([])
  })
})
