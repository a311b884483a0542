import type { FieldDefinition } from '@kith/contract/field-definition'
import { aField, someOptions } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import type { Schema } from '@kith/contract/resource'

/** As every workspace begins. */
const fields = {
  companies: [many('domain', 'domains', 'Domains'), one('link', 'linkedin', 'LinkedIn')],
  people: [
    many('email', 'emails', 'Emails'),
    one('phone', 'phone_number', 'Phone number'),
    one('text', 'job_title', 'Job title'),
    one('link', 'linkedin', 'LinkedIn'),
  ],
  opportunities: [
    { ...one('select', 'stage', 'Stage'), options: someOptions('Lead', 'Won') },
    one('currency', 'amount', 'Amount'),
    one('date', 'close_date', 'Close date'),
  ],
}

function one(type: FieldDefinition['type'], code: string, name: string): FieldDefinition {
  return { ...aField(type), id: code, key: code, code, name, multiple: false, max_values: 1 }
}

function many(type: FieldDefinition['type'], code: string, name: string): FieldDefinition {
  return { ...one(type, code, name), unique: true, multiple: true, max_values: 10 }
}

/** The resources of a workspace for tests of imports. */
export const schema: Schema = schemaOf(
  [],
  (['companies', 'people', 'opportunities'] as const).flatMap((entity_type) =>
    fields[entity_type].map((field) => ({ ...field, entity_type })),
  ),
)
