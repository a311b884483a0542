import { FIELD_NAME_MAX, OPTIONS_MAX, VALUES_MAX } from '@kith/contract/limits'
import { anyObject, flag, type Schema, text } from './schema.ts'

/** What of a field is chosen when it is made and can be changed later. */
export const draftArguments = {
  name: { type: 'string', maxLength: FIELD_NAME_MAX, description: 'Unique in the resource.' },
  description: text('What the field is for.'),
  required: flag('New records must have a value.'),
  unique: flag('No two records may hold the same value; upsert_record can match it.'),
  multiple: flag('Several values, for email, phone, link and domain.'),
  max_values: { type: 'integer', minimum: 1, maximum: VALUES_MAX, description: 'How many, if multiple.' },
  position: { type: 'integer', minimum: 1, description: 'From 1.' },
  options: {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    maxItems: OPTIONS_MAX,
    description:
      'All choices in order: labels, or {"id", "label", "color"}. An existing option that is left out is deleted and ' +
      'cleared from all records.',
  },
  settings: anyObject('currency (ISO 4217) and decimals of a currency, max_length of a text.'),
} as const satisfies Record<string, Schema>
