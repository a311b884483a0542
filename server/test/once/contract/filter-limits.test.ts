import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { found, foundInAddress, foundInBody, refused, refusedInAddress, refusedInBody } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const types = testedResources
const id = newId(0)
const lists = ['email', 'phone', 'link', 'domain', 'tags-input']
const codeOf = (name: string) => `my_${name.replace('-', '_')}`

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of lists) await workspace.field('companies', { name: `My ${type}`, type, code: codeOf(type) })
  await workspace.field('companies', { name: 'Words', type: 'text', code: 'words', settings: { max_length: 10_000 } })
  await workspace.field('companies', { name: 'Rich', type: 'rich-text', code: 'rich' })
  for (const type of ['select', 'multi-select']) {
    await workspace.field('companies', { name: `My ${type}`, type, code: codeOf(type), options: ['A', 'B'] })
  }
})

const times = (count: number, value: unknown) => Array.from({ length: count }, () => value)
const keysOf = async (errors: Promise<Record<string, string[]>>) => Object.keys(await errors)

describe('conditions in one filter: at most 20', () => {
  it.each(types)('twenty names of %s are accepted, twenty-one are 422 on filter', async (type: ResourceName) => {
    const is = { [declared(type).label]: { $eq: 'x' } }
    expect(await found(workspace.api, type, { $or: times(20, is) })).toEqual([])
    const errors = await refused(workspace.api, type, { $or: times(21, is) })
    expect(errors).toEqual({ filter: [expect.stringContaining('20')] })
  })

  it.each([
    ['operators of one field', { name: { $eq: 'x', $contains: 'x', $is_empty: false } }, 3],
    ['operators of a custom field', { custom_fields: { words: { $eq: 'x', $contains: 'x' } } }, 2],
    ['several custom fields', { custom_fields: { words: { $eq: 'x' }, rich: { $contains: 'x' } } }, 2],
    ['the domain sub-field', { custom_fields: { my_email: { domain: { $in: ['a.co'], $not_in: ['b.co'] } } } }, 2],
    ['operators of a member relation', { creator: { $in: [id], $not_in: [id], $is_empty: false } }, 3],
    ['operators of a record relation', { people: { $in: [id], $not_in: [id], $is_empty: false } }, 3],
    ['nested conditions', { people: { $in: [id], name: { $eq: 'x', $contains: 'x' } } }, 3],
    [
      'deeper conditions',
      { people: { company: { $not: { name: { $eq: 'x' }, created_at: { $gt: '2026-01-01' } } } } },
      2,
    ],
    ['logic', { $not: { $or: [{ name: { $eq: 'x' } }, { name: { $eq: 'y' } }] } }, 2],
  ])('each operator is one condition, at any depth: %s', async (_what, filter, count) => {
    const fill = (others: number) => ({ $and: [{ $or: times(others, { name: { $eq: 'x' } }) }, filter] })
    expect(await foundInBody(workspace.api, 'companies', fill(20 - count))).toEqual([])
    expect(await keysOf(refusedInBody(workspace.api, 'companies', fill(21 - count)))).toEqual(['filter'])
  })
})

describe('nesting of $and, $or, $not: at most 3 levels', () => {
  const is = { name: { $eq: 'x' } }
  it.each([
    [{ $not: { $not: { $not: is } } }, { $not: { $not: { $not: { $not: is } } } }, '$not.$not.$not.$not'],
    [{ $and: [{ $or: [{ $not: is }] }] }, { $and: [{ $or: [{ $not: { $and: [is] } }] }] }, '$and.0.$or.0.$not.$and'],
    [
      { $or: [is, { $or: [is, { $or: [is] }] }] },
      { $or: [is, { $or: [is, { $or: [{ $or: [is] }] }] }] },
      '$or.1.$or.1.$or.0.$or',
    ],
    [
      { $not: { people: { $or: [{ $not: is }] } } },
      { $not: { people: { $or: [{ $not: { $and: [is] } }] } } },
      '$not.people.$or.0.$not.$and',
    ],
    [
      { people: { $and: [{ company: { $or: [{ $not: is }] } }] } },
      { people: { $and: [{ company: { $or: [{ $not: { $not: is } }] } }] } },
      'people.$and.0.company.$or.0.$not.$not',
    ],
  ])('%j is accepted, one level more is 422 at its path', async (within, past, path) => {
    expect(await keysOf(refused(workspace.api, 'companies', past))).toEqual([`filter.${path}`])
    await found(workspace.api, 'companies', within)
  })
})

describe('nesting of relations: at most 2 levels', () => {
  const cases: [ResourceName, object, object, string][] = [
    [
      'companies',
      { people: { company: { $is_empty: false } } },
      { people: { company: { people: { $in: [id] } } } },
      'people.company.people',
    ],
    [
      'people',
      { company: { creator: { $in: [id] } } },
      { company: { people: { creator: { $in: [id] } } } },
      'company.people.creator',
    ],
    [
      'opportunities',
      { contact: { company: { name: { $eq: 'x' } } } },
      { contact: { company: { accountOwner: { $is_empty: true } } } },
      'contact.company.accountOwner',
    ],
    [
      'tasks',
      { companies: { people: { $in: [id] } } },
      { companies: { people: { company: { $in: [id] } } } },
      'companies.people.company',
    ],
    [
      'notes',
      { opportunities: { contact: { $in: [id] } } },
      { opportunities: { contact: { creator: { $in: [id] } } } },
      'opportunities.contact.creator',
    ],
    [
      'tasks',
      { $not: { people: { $or: [{ company: { $in: [id] } }] } } },
      { $not: { people: { $or: [{ company: { people: { $in: [id] } } }] } } },
      '$not.people.$or.0.company.people',
    ],
  ]
  it.each(cases)('of %s: %j is accepted, one level more is 422 at its path', async (type, within, past, path) => {
    await found(workspace.api, type, within)
    const errors = await refused(workspace.api, type, past)
    expect(errors).toEqual({ [`filter.${path}`]: [expect.stringContaining('at most 2 levels')] })
  })
})

describe('values in one list: at most 100', () => {
  const cases: [path: string, parameter: string, value: string][] = [
    ['creation_source.$in', '[creation_source][$in]', 'api'],
    ['creation_source.$not_in', '[creation_source][$not_in]', 'web'],
    ['creator.$in', '[creator][$in]', id],
    ['people.$not_in', '[people][$not_in]', id],
    ['custom_fields.my_select.$in', '[custom_fields][my_select][$in]', 'A'],
    ['custom_fields.my_multi_select.$has_none', '[custom_fields][my_multi_select][$has_none]', 'A'],
    ['custom_fields.my_email.$has_any', '[custom_fields][my_email][$has_any]', 'a@a.co'],
    ['custom_fields.my_phone.$has_any', '[custom_fields][my_phone][$has_any]', '+14155550100'],
    ['custom_fields.my_link.$has_none', '[custom_fields][my_link][$has_none]', 'a.co/x'],
    ['custom_fields.my_domain.$has_any', '[custom_fields][my_domain][$has_any]', 'a.co'],
    ['custom_fields.my_tags_input.$has_any', '[custom_fields][my_tags_input][$has_any]', 'a'],
    ['custom_fields.my_email.domain.$in', '[custom_fields][my_email][domain][$in]', 'a.co'],
  ]
  it.each(cases)('%s', async (path, parameter, value) => {
    const nested = (list: unknown) => path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), list)
    await foundInBody(workspace.api, 'companies', nested(times(100, value)))
    const errors = await refusedInBody(workspace.api, 'companies', nested(times(101, value)))
    expect(errors).toEqual({ [`filter.${path}`]: [expect.stringContaining('100')] })
    const query = (count: number) => times(count, `filter${parameter}[]=${encodeURIComponent(value)}`).join('&')
    await foundInAddress(workspace.api, 'companies', query(100))
    expect(await keysOf(refusedInAddress(workspace.api, 'companies', query(101)))).toEqual([`filter.${path}`])
    if (!/\$has_(any|none)/.test(path) || path.includes('select')) {
      const joined = (count: number) => `filter${parameter}=${times(count, value).join(',')}`
      await foundInAddress(workspace.api, 'companies', joined(100))
      expect(await keysOf(refusedInAddress(workspace.api, 'companies', joined(101)))).toEqual([`filter.${path}`])
    }
  })
})

describe('operands', () => {
  const texts: [string, (text: string) => object][] = [
    ['name.$eq', (text) => ({ name: { $eq: text } })],
    ['name.$contains', (text) => ({ name: { $contains: text } })],
    ['people.name.$contains', (text) => ({ people: { name: { $contains: text } } })],
    ['custom_fields.words.$eq', (text) => ({ custom_fields: { words: { $eq: text } } })],
    ['custom_fields.words.$contains', (text) => ({ custom_fields: { words: { $contains: text } } })],
    ['custom_fields.rich.$contains', (text) => ({ custom_fields: { rich: { $contains: text } } })],
    ['custom_fields.my_tags_input.$has_any.0', (text) => ({ custom_fields: { my_tags_input: { $has_any: [text] } } })],
    ['custom_fields.my_email.$has_none.0', (text) => ({ custom_fields: { my_email: { $has_none: [text] } } })],
  ]

  it.each(texts)('%s takes 2,048 characters, whatever the script, and one more is 422', async (path, filter) => {
    for (const character of ['x', 'ß', '語', '🦊']) {
      await found(workspace.api, 'companies', filter(character.repeat(2048)))
      const errors = await refused(workspace.api, 'companies', filter(character.repeat(2049)))
      expect(Object.keys(errors)).toEqual([`filter.${path}`])
    }
  })

  const others: [string, (text: string) => object][] = [
    ['created_at.$gt', (text) => ({ created_at: { $gt: text } })],
    ['creation_source.$eq', (text) => ({ creation_source: { $eq: text } })],
    ['creator.$in.0', (text) => ({ creator: { $in: [text] } })],
    ['custom_fields.my_select.$eq', (text) => ({ custom_fields: { my_select: { $eq: text } } })],
    ['custom_fields.my_phone.$has_any.0', (text) => ({ custom_fields: { my_phone: { $has_any: [text] } } })],
    ['custom_fields.my_link.$has_any.0', (text) => ({ custom_fields: { my_link: { $has_any: [text] } } })],
    ['custom_fields.my_domain.$has_any.0', (text) => ({ custom_fields: { my_domain: { $has_any: [text] } } })],
    ['custom_fields.my_email.domain.$in.0', (text) => ({ custom_fields: { my_email: { domain: { $in: [text] } } } })],
  ]

  it.each([...texts, ...others])('%s: too long, NUL and lone surrogates are 422', async (path, filter) => {
    for (const text of ['1'.repeat(2049), 'a\u0000b', '\u0000', 'a\ud800', '\udc00a']) {
      expect(await keysOf(refusedInBody(workspace.api, 'companies', filter(text)))).toEqual([`filter.${path}`])
    }
  })

  it('a long text is found by a part that is as long as may be', async () => {
    const text = `${'A long text. '.repeat(200)}And its end.`
    await workspace.api.post('/companies', { name: 'Long', custom_fields: { words: text, rich: text } })
    for (const code of ['words', 'rich']) {
      const filter = { custom_fields: { [code]: { $contains: text.slice(-2048).toUpperCase() } } }
      expect(await found(workspace.api, 'companies', filter)).toEqual(['Long'])
    }
  })
})

describe('all limits at once', () => {
  const id100 = times(100, id)
  const longPart = 'x'.repeat(2048)
  it.each([
    ['ids of related records', { people: { company: { $in: id100 } } }],
    ['ids that are excluded', { $not: { people: { $not_in: id100 } } }],
    ['tags', { custom_fields: { my_tags_input: { $has_any: times(100, 'vip') } } }],
    ['hosts', { custom_fields: { my_link: { domain: { $not_in: times(100, 'a.co') } } } }],
    ['parts of names', { people: { name: { $contains: longPart } } }],
    ['parts of texts', { custom_fields: { rich: { $contains: longPart } } }],
  ])('twenty conditions on %s are answered', async (_what, condition) => {
    for (const word of ['$and', '$or']) {
      const nested = { $not: { [word]: times(20, condition) } }
      const { status } = await workspace.api.post('/companies/query', { filter: nested, sort: 'name' })
      expect(status).toBe(200)
    }
  })
})
