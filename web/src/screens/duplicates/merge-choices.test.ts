import type { FieldDefinition } from '@kith/contract/field-definition'
import { schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import type { ApiRecord } from '../../api/records.ts'
import { propertiesOf } from '../../properties/property.ts'
import { attributesOf, isMerged, type MergePlan, sourceOf, TOGETHER } from './merge-choices.ts'

const field = (code: string, type: FieldDefinition['type']): FieldDefinition => ({
  id: code,
  key: code,
  number: 0,
  system: false,
  code,
  name: code,
  type,
  entity_type: 'companies',
  description: null,
  required: false,
  unique: false,
  multiple: true,
  max_values: 5,
  position: 1,
  options: [],
  settings: {},
  created_at: '',
  updated_at: '',
})

const schema = schemaOf([], [field('domains', 'domain'), field('vat', 'text')])
const properties = propertiesOf(resourceIn(schema, 'companies')).filter(isMerged)

const propertyOf = (key: string) => {
  const found = properties.find((property) => property.key === key)
  if (!found) throw new Error(`There is no property ${key}.`)
  return found
}

type Values = { domains: string[]; vat: string | null; owner?: string }

const company = (id: string, name: string, { owner, ...custom_fields }: Values) => {
  const record: ApiRecord = {
    id,
    type: 'companies',
    attributes: { name, creation_source: 'web', created_at: '', updated_at: '', custom_fields },
    relationships: { accountOwner: { data: owner === undefined ? null : { id: owner, type: 'users' } } },
  }
  return record
}

const merging = (choices: MergePlan['choices'], winner = 'b'): MergePlan => ({
  winner,
  choices,
  included: new Map(),
  records: [
    company('a', 'Acme', { domains: ['acme.com'], vat: 'DE 1', owner: 'ada' }),
    company('b', 'ACME', { domains: ['acme.de'], vat: null }),
    company('c', 'Acme Inc.', { domains: [], vat: 'DE 3', owner: 'bob' }),
  ],
})

describe('a merge', () => {
  it('keeps what the winner has, fills what it lacks from the oldest, and joins lists', () => {
    const asked = merging({})
    expect(sourceOf(propertyOf('name'), asked)).toBe('b')
    expect(sourceOf(propertyOf('custom_fields.vat'), asked)).toBe('a')
    expect(sourceOf(propertyOf('account_owner_id'), asked)).toBe('a')
    expect(sourceOf(propertyOf('custom_fields.domains'), asked)).toBe(TOGETHER)
  })

  it('sends nothing but the ids when nothing was chosen', () => {
    expect(attributesOf(properties, merging({}))).toEqual({})
    expect(attributesOf(properties, merging({ name: 'b', 'custom_fields.domains': TOGETHER }))).toEqual({})
  })

  it('sends what was chosen instead, empty values too', () => {
    const choices = {
      name: 'c',
      account_owner_id: 'b',
      'custom_fields.domains': 'a',
      'custom_fields.vat': 'c',
    }
    expect(attributesOf(properties, merging(choices))).toEqual({
      name: 'Acme Inc.',
      account_owner_id: null,
      custom_fields: { domains: ['acme.com'], vat: 'DE 3' },
    })
  })

  it('forgets choices from records that were left out', () => {
    expect(sourceOf(propertyOf('name'), merging({ name: 'gone' }))).toBe('b')
  })
})
