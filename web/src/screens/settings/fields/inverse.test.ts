import { aField } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { suggestedInverse } from './inverse.ts'

const investor = aField('record', {
  entity_type: 'companies',
  settings: { target: 'people', inverse: { code: 'companies', name: 'Investments' } },
})
const schema = schemaOf([], [investor])
const of = (name: string): Resource => resourceIn(schema, name)

it('the target of a reference field calls its records by the name of their resource', () => {
  expect(suggestedInverse(of('people'), of('opportunities'), 'Champion')).toBe('People')
})

it('names the field as well where the target is the same resource, or has the name already', () => {
  expect(suggestedInverse(of('companies'), of('companies'), ' Parent company ')).toBe('Companies (Parent company)')
  expect(suggestedInverse(of('people'), of('companies'), 'Founder')).toBe('People (Founder)')
  expect(suggestedInverse(of('companies'), of('people'), 'Founder')).toBe('Companies (Founder)')
  expect(suggestedInverse(of('people'), of('companies'), '')).toBe('People')
  expect(suggestedInverse(of('people'), of('companies'), 'x'.repeat(50))).toHaveLength(50)
})
