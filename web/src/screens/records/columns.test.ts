import { aField } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { propertiesOf } from '../../properties/property.ts'
import { columnsIn } from './columns.ts'

it('lists begin with the fields of a resource in their order; links to other resources give way to them', () => {
  const experts = { code: 'experts', key: 'experts', name: 'Experts', entity_type: 'tasks', multiple: true }
  const fields = Array.from({ length: 6 }, (_, place) => {
    const named = { code: `text_${place}`, key: `text_${place}`, name: `Text ${place}`, entity_type: 'tasks' }
    return aField('text', named)
  })
  const schema = schemaOf([], [aField('record', { ...experts, settings: { target: 'people' } }), ...fields])
  const columns = columnsIn(undefined, propertiesOf(resourceIn(schema, 'tasks')))
  expect(columns.map(({ property }) => property.label)).toEqual([
    'Title',
    'Experts',
    'Text 0',
    'Text 1',
    'Text 2',
    'Text 3',
    'Text 4',
    'Text 5',
    'Created',
  ])
})
