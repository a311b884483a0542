import type { FieldDefinition } from '@kith/contract/field-definition'
import { aField, someOptions } from '@kith/contract/field-types/test-field'
import { schemaOf } from '@kith/contract/registry'
import { OWN_FROM, type ResourceRow, type Schema } from '@kith/contract/resource'

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
  sales_orders: [
    { ...one('record', 'customer', 'Customer'), settings: { target: 'companies', inverse: null } },
    one('member', 'seller', 'Seller'),
  ],
}

function one(type: FieldDefinition['type'], code: string, name: string): FieldDefinition {
  return { ...aField(type), id: code, key: code, code, name, multiple: false, max_values: 1 }
}

function many(type: FieldDefinition['type'], code: string, name: string): FieldDefinition {
  return { ...one(type, code, name), unique: true, multiple: true, max_values: 10 }
}

const at = '2026-01-01T00:00:00.000Z'

const salesOrders: ResourceRow = {
  number: OWN_FROM,
  code: 'sales_orders',
  singular_code: 'sales_order',
  name: 'Sales orders',
  singular: 'Sales order',
  description: null,
  icon: null,
  color: null,
  position: 1,
  created_at: at,
  updated_at: at,
  archived_at: null,
  since: null,
}

/** The resources of a workspace for tests of imports, one of its own among them. */
export const schema: Schema = schemaOf(
  [salesOrders],
  (['companies', 'people', 'opportunities', 'sales_orders'] as const).flatMap((entity_type) =>
    fields[entity_type].map((field) => ({ ...field, entity_type })),
  ),
)
