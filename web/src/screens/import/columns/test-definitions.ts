import type { FieldDefinition } from '@kith/contract/field-definition'
import { aField, someOptions } from '@kith/contract/field-types/test-field'
import { perResource, type BuiltInName } from '@kith/contract/resource'

/** As every workspace begins. */
const fields: Partial<Record<BuiltInName, FieldDefinition[]>> = {
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

/** The fields of a workspace for tests of imports. */
export const definitions = perResource((name) => {
  const list = fields[name] ?? []
  return { list, byCode: new Map(list.map((field) => [field.code, field])) }
})
