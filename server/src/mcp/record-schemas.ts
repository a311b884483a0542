import { writableKeys } from '@kith/contract/record-input'
import { registry, resources } from '@kith/contract/registry'
import { includeNames } from '@kith/contract/resource'
import { anyObject, listOf, type ObjectSchema, object, type Schema, text } from './schema.ts'

const identifier: Schema = object({ id: { type: 'string' }, type: { type: 'string' } })

/** A record, or a user, as every surface shows it. */
const recordSchema: Schema = object(
  {
    id: { type: 'string' },
    type: text('The resource, or users.'),
    attributes: anyObject('Native attributes; custom_fields holds the values by the code of their field.'),
    relationships: {
      type: 'object',
      description: 'Only what include asked for. The records themselves are in included.',
      additionalProperties: object({
        data: { anyOf: [identifier, { type: 'array', items: identifier }, { type: 'null' }] },
      }),
    },
  },
  ['relationships'],
)

const included = listOf(recordSchema, 'The related records that include asked for, each once.')
const meta = object({
  truncated: listOf({ type: 'string' }, 'Relations with more records than are shown.'),
})

/** The schema of an answer with one record, and with more than that. */
export function documentSchema(more: Readonly<Record<string, Schema>> = {}): ObjectSchema {
  return object({ data: recordSchema, included, meta, ...more }, ['included', 'meta'])
}

/** What an answer with a list of records holds. */
export const listProperties = { data: listOf(recordSchema, 'The records of this page, in order.'), included } as const

export const idSchema: Schema = text('The ID of the record: 26 letters and digits.')

/** How an answer shows its records. */
export const answerArguments = {
  include: {
    type: ['array', 'string'],
    items: { type: 'string' },
    description: `Related records, counts and external ids to include. ${perResource((name) => includeNames(registry[name]))}`,
  },
  fields: {
    type: ['array', 'string', 'object'],
    items: { type: 'string' },
    description:
      'Which attributes to show, such as ["name", "custom_fields.stage"]; an object of such lists by type ' +
      'for included records. All when left out; a few make long lists shorter.',
  },
} as const

/** What a write gives a record. The keys depend on the resource; the values of custom fields on the workspace. */
export const attributesSchema: Schema = anyObject(
  `Keys by resource. ${perResource((name) => writableKeys(registry[name]))} custom_fields is an object by ` +
    'field code; ask describe_resource for the codes. Choices are given by label or option ID. external_ids is an ' +
    'object of ids of other systems by namespace, such as {"salesforce": "001A"}. Where a record is named, ' +
    '{"match": {"field": …, "value": …}} is accepted in place of its ID, and {"email": …} in place of that of a member.',
)

function perResource(namesOf: (name: (typeof resources)[number]['type']) => readonly string[]): string {
  return resources.map(({ type }) => `${type}: ${namesOf(type).join(', ')}.`).join(' ')
}
