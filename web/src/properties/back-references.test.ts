import { aField } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { backReferenceFilter, backReferenceInput, countAttribute, kinOf } from './back-references.ts'

const clients = aField('record', {
  entity_type: 'people',
  code: 'clients',
  key: 'clients',
  settings: { target: 'companies', inverse: { code: 'advisers', name: 'Advisers' } },
})
const schema = schemaOf([], [clients, { ...clients, code: 'rivals', settings: { target: 'companies', inverse: null } }])
const ID = '01m7e7r810783nryq77y9egvjs'

it('the records that name another one by a reference field are found and written by this field', () => {
  const byField = (resource: string) => kinOf(resourceIn(schema, resource)).filter(({ inverse }) => inverse)
  const [advisers, ...others] = byField('companies')
  if (!advisers) throw new Error('There is no inverse.')
  expect(others).toEqual([])
  expect(advisers).toMatchObject({ resource: 'people', relation: 'custom_fields.clients', many: true })
  expect(countAttribute(advisers)).toBe('advisers_count')
  expect(backReferenceFilter(advisers, ID)).toEqual({ custom_fields: { clients: { $in: [ID] } } })
  expect(backReferenceInput(advisers, ID)).toEqual({ custom_fields: { clients: [ID] } })
  expect(byField('people')).toEqual([])
})

it('other relations keep their names', () => {
  const [people] = kinOf(resourceIn(schema, 'companies'))
  if (!people) throw new Error('There is no relation.')
  expect(countAttribute(people)).toBe('people_count')
  expect(backReferenceFilter(people, ID)).toEqual({ company: { $in: [ID] } })
  expect(backReferenceInput(people, ID)).toEqual({ company_id: ID })
})
