import { anyObject, type Schema, text } from './schema.ts'

export const idSchema: Schema = text('The ID of the record.')

/** How an answer shows its records. */
export const answerArguments = {
  include: {
    type: 'array',
    items: { type: 'string' },
    description: 'Relations, counts or externalIds to add, such as ["company"]; describe_resource lists them.',
  },
  fields: {
    anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'object' }],
    description:
      'Only these attributes, such as ["name", "custom_fields.stage"]; for included records an object of lists by type.',
  },
} as const

/** What a write gives a record. The keys depend on the resource; the values of custom fields on the workspace. */
export const attributesSchema: Schema = anyObject(
  'Attributes by name, and custom_fields by code; describe_resource lists both. Choices by label. A record by its ID or ' +
    '{"match": {"field": …, "value": …}}, a member also by {"email": …}.',
)
