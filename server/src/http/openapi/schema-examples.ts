import { registry } from '@kith/contract/registry'
import { describeSchema } from '../../fields/read-schema.ts'
import { sampleTime } from './sample-records.ts'
import type { Schema } from './schema.ts'

const field = {
  id: '01kb8w4d5e6f7g8h9j0k1m2n3p',
  key: 'tier',
  code: 'tier',
  name: 'Tier',
  type: 'select',
  entity_type: 'companies',
  description: null,
  required: false,
  unique: false,
  multiple: false,
  max_values: 1,
  position: 4,
  system: false,
  options: [{ id: '01kb8w5e6f7g8h9j0k1m2n3p4q', label: 'Gold', color: 'amber' }],
  settings: {},
  created_at: sampleTime,
  updated_at: sampleTime,
} as const

const { key: _key, system: _system, id, ...attributes } = field
const definition = { id, type: 'custom_fields', attributes }

const fields = { list: [field], byCode: new Map([[field.code, field]]) }
const schema = { id: 'companies', type: 'schemas', attributes: describeSchema(registry.companies, fields, 17) }

/** Examples of the schema API. */
export const schemaExamples: Record<string, Schema> = {
  ResourceSchemaDocument: { summary: 'Companies', value: { data: schema } },
  ResourceSchemaList: { summary: 'The first of them', value: { data: [schema] } },
  CustomFieldDocument: { summary: 'A field with one option', value: { data: definition } },
  CustomFieldOrder: { summary: 'The only field', value: { data: [definition] } },
  OptionDocument: {
    summary: 'The first option',
    value: {
      data: { id: field.options[0].id, type: 'options', attributes: { label: 'Gold', color: 'amber', position: 1 } },
    },
  },
  FieldCreate: {
    summary: 'A choice of two',
    value: { name: 'Tier', type: 'select', options: [{ label: 'Gold', color: 'amber' }, { label: 'Silver' }] },
  },
  FieldUpdate: { summary: 'A new name', value: { name: 'Customer tier' } },
  OptionCreate: { summary: 'A label', value: { label: 'Gold' } },
  OptionUpdate: { summary: 'Another label, in the first place', value: { label: 'Gold partner', position: 1 } },
  FieldOrder: { summary: 'All three', value: { codes: ['linkedin', 'domains', 'icp'] } },
}
