import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import type { FilterObject } from '../list-state.ts'
import { conditionsIn, emptyCondition, emptyGroup } from './filter-tree.ts'
import { readFilter } from './read-filter.ts'
import { writeFilter } from './write-filter.ts'

const filters: [says: string, filter: FilterObject][] = [
  ['one condition', { name: { $contains: 'ac' } }],
  ['two operators of one field', { created_at: { $gte: '2026-01-01', $lt: '2026-02-01' } }],
  [
    'custom fields and attributes',
    { name: { $eq: 'A' }, custom_fields: { icp: { $eq: true }, domains: { $is_empty: false } } },
  ],
  ['the hosts of links', { custom_fields: { linkedin: { domain: { $in: ['linkedin.com'] } } } }],
  ['alternatives', { $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' }, custom_fields: { icp: { $eq: true } } }] }],
  ['a negation', { $not: { name: { $contains: 'x' }, accountOwner: { $is_empty: true } } }],
  ['none of several', { $not: { $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' } }] } }],
  ['a relation as a whole', { people: { $is_empty: true } }],
  [
    'conditions on a related record',
    { people: { name: { $contains: 'a' }, custom_fields: { emails: { domain: { $in: ['x.example'] } } } } },
  ],
  [
    'a related record that is one of these and more',
    { people: { $in: ['01m7e7r810783nryq77y9egvjs'], name: { $contains: 'a' } } },
  ],
  ['relations two levels deep', { opportunities: { contact: { custom_fields: { job_title: { $eq: 'CEO' } } } } }],
  [
    'three levels of logic',
    { $or: [{ $not: { $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' } }] } }, { name: { $eq: 'C' } }] },
  ],
  ['the same test twice', { name: { $contains: 'a' }, $and: [{ name: { $contains: 'b' } }] }],
  ['two related records', { people: { name: { $contains: 'a' } }, $and: [{ people: { name: { $contains: 'b' } } }] }],
  [
    'alternatives twice',
    {
      $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'B' } }],
      $and: [{ $or: [{ name: { $eq: 'A' } }, { name: { $eq: 'C' } }] }],
    },
  ],
]

describe('a filter that is read into a tree', () => {
  it.each(filters)('says the same when it is written: %s', (_says, filter) => {
    expect(writeFilter(readFilter(filter, registry.companies))).toEqual(filter)
  })

  it('counts its conditions as the API does', () => {
    expect(conditionsIn(readFilter(filters[4]?.[1], registry.companies))).toBe(3)
  })
})

describe('what is not finished', () => {
  it('says nothing', () => {
    expect(writeFilter(emptyGroup('any'))).toBeUndefined()
    expect(
      writeFilter({ ...emptyCondition(), subject: { kind: 'native', name: 'name' }, operator: '$eq' }),
    ).toBeUndefined()
  })

  it('leaves what is finished as it is', () => {
    const tree = readFilter({ name: { $eq: 'A' } }, registry.companies)
    expect(writeFilter({ ...tree, children: [...tree.children, emptyGroup('none')] })).toEqual({ name: { $eq: 'A' } })
  })
})
