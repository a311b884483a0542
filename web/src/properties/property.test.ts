import { aField } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { labelOf } from './property.ts'

it('reference fields, inverses and their counts are called as people have named them', () => {
  const named = { code: 'founder', key: 'founder', name: 'Founder', entity_type: 'companies' }
  const settings = { target: 'people', inverse: { code: 'own_firms', name: 'Own firms' } }
  const schema = schemaOf([], [aField('record', { ...named, settings })])
  const label = (resource: string, name: string) => labelOf(resourceIn(schema, resource), name)
  expect(label('companies', 'custom_fields.founder')).toBe('Founder')
  expect(label('people', 'ownFirms')).toBe('Own firms')
  expect(label('people', 'own_firms_count')).toBe('Own firms')
  expect(label('people', 'company_id')).toBe('Company')
  expect(label('people', 'tasks_count')).toBe('Tasks')
})
