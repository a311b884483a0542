import { fieldTypeNames } from '@kith/contract/field-type-name'
import { FIELD_NAME_MAX, OPTION_LABEL_MAX, OPTIONS_MAX, TEXT_MAX_LIMIT } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { optionColors } from '../../fields/options.ts'
import { pageOf } from './list-schemas.ts'
import { closed, constant, enumOf, is, ref, type Schema, says } from './schema.ts'

export const color: Schema = { type: ['string', 'null'], enum: [...optionColors, null] }

/** Definitions of custom fields. */
export function definitionSchemas(): Record<string, Schema> {
  return {
    CustomField: closed({
      id: ref('Id'),
      type: constant('custom_fields'),
      attributes: ref('CustomFieldAttributes'),
    }),
    CustomFieldAttributes: closed({
      code: {
        type: 'string',
        pattern: '^[a-z][a-z0-9_]{0,49}$',
        description: 'The key of its values in `custom_fields`. Never changes.',
      },
      name: { type: 'string', maxLength: FIELD_NAME_MAX },
      type: says(enumOf(fieldTypeNames), 'Never changes.'),
      entity_type: says(enumOf(resourceNames), 'The resource whose records have the field.'),
      description: is.textOrNull,
      required: says(is.flag, 'Whether a record must have a value.'),
      unique: says(is.flag, 'Whether no two records may hold the same value. Upserts match on such a field.'),
      multiple: says(is.flag, 'Whether a record may hold more than one value.'),
      max_values: { type: 'integer', minimum: 1, description: 'How many values a record may hold.' },
      position: { type: 'integer', description: 'Its place among the fields of the resource.' },
      options: {
        type: 'array',
        items: ref('CustomFieldOption'),
        maxItems: OPTIONS_MAX,
        description: 'What can be chosen, in order. Empty for types without options.',
      },
      settings: ref('CustomFieldSettings'),
      created_at: ref('Timestamp'),
      updated_at: ref('Timestamp'),
    }),
    CustomFieldOption: closed({
      id: ref('Id'),
      label: { type: 'string', maxLength: OPTION_LABEL_MAX },
      color,
    }),
    CustomFieldSettings: closed(
      {
        currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217. Of currency fields.' },
        decimals: { type: 'integer', enum: [0, 2, 3], description: 'Decimals kept. Of currency fields.' },
        max_length: { type: 'integer', minimum: 1, maximum: TEXT_MAX_LIMIT, description: 'Of text fields.' },
      },
      { required: [], description: 'The settings of its type.' },
    ),
    CustomFieldList: pageOf('CustomField'),
  }
}
