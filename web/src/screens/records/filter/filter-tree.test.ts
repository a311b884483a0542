import { aField } from '@kith/contract/field-types/test-field'
import { registry, schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
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

describe('a filter by a reference field', () => {
  const field = (code: string, settings: object) =>
    aField('record', { entity_type: 'companies', code, key: code, settings: { target: 'people', ...settings } })
  const schema = schemaOf([], [field('founder', { inverse: { code: 'founded', name: 'Founded' } }), field('cto', {})])

  it.each<[FilterObject]>([
    [{ custom_fields: { founder: { $in: ['01m7e7r810783nryq77y9egvjs'] }, cto: { $is_empty: true } } }],
    [{ custom_fields: { founder: { name: { $contains: 'a' } }, cto: { name: { $contains: 'b' } } } }],
    [{ custom_fields: { founder: { founded: { $is_empty: false } } } }],
    [
      {
        custom_fields: { founder: { name: { $contains: 'a' } } },
        $and: [{ custom_fields: { founder: { $in: ['01m7e7r810783nryq77y9egvjs'] } } }],
      },
    ],
  ])('says the same when it is written: %j', (filter) => {
    expect(writeFilter(readFilter(filter, resourceIn(schema, 'companies')))).toEqual(filter)
  })

  it('knows the conditions on the record at its other end', () => {
    const filter = { custom_fields: { founder: { founded: { name: { $contains: 'a' } } } } }
    expect(readFilter(filter, resourceIn(schema, 'companies'))).toMatchObject({
      children: [
        {
          relation: 'custom_fields.founder',
          children: [{ relation: 'founded', children: [{ subject: { kind: 'native', name: 'name' } }] }],
        },
      ],
    })
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
