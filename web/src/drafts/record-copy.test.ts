import { aField } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { copyOf, needsMore } from './record-copy.ts'

const domains = aField('text', { code: 'number', name: 'Number', unique: true, entity_type: 'tasks' })
const about = aField('text', { code: 'about', name: 'About', entity_type: 'tasks' })

it('a copy has all values but those that are unique, and no ids of other systems', () => {
  const tasks = resourceIn(schemaOf([], [domains, about]), 'tasks')
  const task = {
    id: '01a',
    type: 'tasks',
    attributes: {
      title: 'x'.repeat(255),
      created_at: '2026-11-19T10:00:00.000Z',
      updated_at: '2026-11-19T10:00:00.000Z',
      creation_source: 'api',
      external_ids: { crm: ['1'] },
      custom_fields: { number: 'A1', about: 'Why' },
    },
    relationships: { companies: { data: [{ id: '01c', type: 'companies' }] }, people: { data: [] } },
  }
  const { input } = copyOf(task, tasks)
  expect(input).toMatchObject({
    title: `${'x'.repeat(248)} (copy)`,
    company_ids: ['01c'],
    people_ids: [],
    custom_fields: { about: 'Why' },
  })
  expect(Object.keys(input)).not.toContain('external_ids')
  expect(input.custom_fields).not.toHaveProperty('number')
  expect(needsMore(tasks)).toBe(false)
  expect(needsMore(resourceIn(schemaOf([], [{ ...domains, required: true }]), 'tasks'))).toBe(true)
})
