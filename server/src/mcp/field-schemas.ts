import { fieldTypeNames } from '@kith/contract/field-type-name'
import { FIELD_NAME_MAX, OPTIONS_MAX, VALUES_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { optionColors } from '../fields/option-colors.ts'
import { anyObject, flag, listOf, object, type Schema, text } from './schema.ts'

const color: Schema = { type: ['string', 'null'], enum: [...optionColors, null] }
const string: Schema = { type: 'string' }

/** The definition of a custom field, as every surface shows it. */
export const fieldSchema: Schema = object({
  id: string,
  code: text('The key of its values in custom_fields. Never changes.'),
  name: string,
  type: { type: 'string', enum: [...fieldTypeNames] },
  entity_type: { type: 'string', enum: [...resourceNames] },
  description: { type: ['string', 'null'] },
  required: { type: 'boolean' },
  unique: { type: 'boolean' },
  multiple: { type: 'boolean' },
  max_values: { type: 'integer' },
  position: { type: 'integer' },
  options: listOf(object({ id: string, label: string, color }), 'What can be chosen, in order.'),
  settings: anyObject('currency and decimals, or max_length.'),
  created_at: string,
  updated_at: string,
})

const option: Schema = {
  anyOf: [string, object({ id: string, label: string, color }, ['id', 'label', 'color'])],
}

/** What of a field is chosen when it is made and can be changed later. */
export const draftArguments = {
  name: { type: 'string', maxLength: FIELD_NAME_MAX, description: 'Unique among the fields of the resource.' },
  description: { type: ['string', 'null'], description: 'What the field is for.' },
  required: flag('Whether new records must have a value.'),
  unique: flag('Whether no two records may hold the same value; makes it a field for upsert_record.'),
  multiple: flag('Whether a record may hold several values. For email, phone, link and domain.'),
  max_values: { type: 'integer', minimum: 1, maximum: VALUES_MAX, description: 'How many, where it is multiple.' },
  position: { type: 'integer', minimum: 1, description: 'Its place, from 1.' },
  options: {
    type: 'array',
    items: option,
    maxItems: OPTIONS_MAX,
    description:
      'The whole list of choices, in order: labels, or objects with id, label and color. An option that ' +
      'is not in the list is deleted and cleared from all records.',
  },
  settings: anyObject('currency (ISO 4217) and decimals (0, 2, 3) of a currency, max_length of a text.'),
} as const satisfies Record<string, Schema>
