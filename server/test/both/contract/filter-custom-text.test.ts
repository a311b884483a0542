import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInBody, recordOf, refused, refusedInBody } from '../../filtering.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources
const long = (end: string) => `${'A long beginning. '.repeat(100)}${end}`

const values: Record<string, string | null> = {
  'Lead engineer': 'Lead engineer',
  'lead ENGINEER': 'lead ENGINEER',
  'signs 100%_\\"x"': 'signs 100%_\\"x"',
  composed: 'Zo\u00eb',
  decomposed: 'Zoe\u0308',
  padded: '  padded  ',
  short: 'ab',
  'long, one': long('One'),
  'long, two': long('Two'),
  null: null,
  blank: '',
}

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  const scope = async () => workspace.scope()
  for (const type of types) {
    await workspace.field(type, { name: 'Words', type: 'text', code: 'words', settings: { max_length: 10_000 } })
    await workspace.field(type, { name: 'Area', type: 'textarea', code: 'area' })
    await workspace.field(type, { name: 'Rich', type: 'rich-text', code: 'rich' })
    for (const [label, value] of Object.entries(values)) {
      const custom_fields = { words: value, area: value, rich: value }
      await recordOf(await scope(), type, { label, custom_fields })
    }
    await recordOf(await scope(), type, { label: 'unset' })
  }
})

describe.each(types)('filters on the custom text fields of %s', (type) => {
  const ask = (filter: object) => found(workspace.api, type, { custom_fields: filter })

  it.each([
    ['Lead engineer', ['Lead engineer']],
    ['lead engineer', []],
    ['Lead', []],
    ['signs 100%_\\"x"', ['signs 100%_\\"x"']],
    ['Zo\u00eb', ['composed']],
    ['Zoe\u0308', ['decomposed']],
    ['  padded  ', ['padded']],
    ['padded', []],
    [long('One'), ['long, one']],
    [long('Two'), ['long, two']],
    [long('two'), []],
    ['', []],
  ])('text $eq is exact: %s', async (operand, expected) => {
    expect(await ask({ words: { $eq: operand } })).toEqual(expected)
  })

  it.each([
    ['LEAD', ['Lead engineer', 'lead ENGINEER']],
    ['d E', ['Lead engineer', 'lead ENGINEER']],
    ['%', ['signs 100%_\\"x"']],
    ['0%_\\"', ['signs 100%_\\"x"']],
    ['\\', ['signs 100%_\\"x"']],
    ['_', ['signs 100%_\\"x"']],
    ['ZO\u00cb', ['composed', 'decomposed']],
    ['\u00eb', ['composed', 'decomposed']],
    ['  pad', ['padded']],
    ['AB', ['short']],
    ['abc', []],
    ['beginning. one', ['long, one']],
    ['G. A LONG', ['long, one', 'long, two']],
    ['l%d', []],
  ])('$contains takes any letter case, %% and _ are literal: %s', async (operand, expected) => {
    for (const code of ['words', 'area', 'rich']) {
      expect(await ask({ [code]: { $contains: operand } })).toEqual(expected)
    }
  })

  it('$is_empty: null or ""', async () => {
    for (const code of ['words', 'area', 'rich']) {
      expect(await ask({ [code]: { $is_empty: true } })).toEqual(['blank', 'null', 'unset'])
      expect(await ask({ [code]: { $is_empty: false } })).toHaveLength(9)
    }
  })

  it('textarea and rich-text take $contains and $is_empty, nothing else', async () => {
    for (const code of ['area', 'rich']) {
      const errors = await refused(workspace.api, type, { custom_fields: { [code]: { $eq: 'x' } } })
      expect(Object.keys(errors)).toEqual([`filter.custom_fields.${code}.$eq`])
      expect(Object.values(errors)[0]?.[0]).toContain('Accepted: $contains, $is_empty.')
    }
  })

  it.each([[7], [true], [null], [['Lead']], [{}]])('text takes text only, not %j', async (operand) => {
    const filter = { custom_fields: { words: { $eq: operand, $contains: operand }, rich: { $contains: operand } } }
    expect(Object.keys(await refusedInBody(workspace.api, type, filter))).toEqual([
      'filter.custom_fields.words.$eq',
      'filter.custom_fields.words.$contains',
      'filter.custom_fields.rich.$contains',
    ])
  })

  it('an empty $contains is 422', async () => {
    const filter = { custom_fields: { words: { $contains: '' }, rich: { $contains: '' } } }
    expect(Object.keys(await refused(workspace.api, type, filter))).toEqual([
      'filter.custom_fields.words.$contains',
      'filter.custom_fields.rich.$contains',
    ])
  })
})

describe('what is found by text', () => {
  it('follows changes, clearing and deletion of the value', async () => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'Words', type: 'text', code: 'words' })
    await field('companies', { name: 'Rich', type: 'rich-text', code: 'rich' })
    const made = await api.post('/companies', { name: 'A', custom_fields: { words: 'first', rich: 'first' } })
    const path = `/companies/${made.body.data.id}`
    const ask = async (part: string) => [
      ...(await found(api, 'companies', { custom_fields: { words: { $eq: part } } })),
      ...(await found(api, 'companies', { custom_fields: { words: { $contains: part } } })),
      ...(await found(api, 'companies', { custom_fields: { rich: { $contains: part } } })),
    ]
    expect(await ask('first')).toEqual(['A', 'A', 'A'])
    await api.patch(path, { custom_fields: { words: 'second', rich: 'second' } })
    expect([await ask('first'), await ask('second')]).toEqual([[], ['A', 'A', 'A']])
    await api.patch(path, { custom_fields: { words: null, rich: '' } })
    expect(await ask('second')).toEqual([])
    await api.patch(path, { custom_fields: { words: 'third', rich: 'third' } })
    expect(await ask('third')).toEqual(['A', 'A', 'A'])
    await api.delete(path)
    expect(await ask('third')).toEqual([])
  })

  it('is of one workspace, one resource and one field', async () => {
    const [{ api, field }, other] = [await workspaceWithOwn(), await workspaceWithOwn()]
    for (const each of [{ field, api }, other]) {
      for (const type of ['companies', 'people'] as const) {
        await each.field(type, { name: 'Words', type: 'text', code: 'words' })
        await each.field(type, { name: 'Others', type: 'text', code: 'others' })
      }
    }
    await api.post('/companies', { name: 'Right', custom_fields: { words: 'marker' } })
    await api.post('/companies', { name: 'Wrong field', custom_fields: { others: 'marker' } })
    await api.post('/people', { name: 'Wrong resource', custom_fields: { words: 'marker' } })
    await other.api.post('/companies', { name: 'Wrong workspace', custom_fields: { words: 'marker' } })
    for (const test of [{ $eq: 'marker' }, { $contains: 'MARK' }, { $contains: 'ma' }, { $is_empty: false }]) {
      expect(await found(api, 'companies', { custom_fields: { words: test } })).toEqual(['Right'])
    }
    expect(await foundInBody(api, 'companies', { name: { $contains: 'wrong workspace' } })).toEqual([])
  })
})
