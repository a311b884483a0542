import { fieldTypeNames } from '@kith/contract/field-type-name'
import { reads } from '../annotations.ts'
import { describeResource } from '../describe.ts'
import { anyObject, flag, listOf, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const string = { type: 'string' }
const names = (description: string) => listOf(string, description)
const operators = names('The filter operators it takes.')

const attribute = object({
  name: string,
  type: string,
  written: flag('Whether writes take it.'),
  read: flag('Whether records show it.'),
  operators,
})

const relation = object({
  name: text('What filters and include call it.'),
  to: string,
  many: flag('Whether there can be more than one.'),
  operators,
  nested_conditions: flag('Whether filters may hold conditions on the related record.'),
  included: flag('Whether include takes it. Otherwise it is for filters only.'),
})

const field = object({
  code: text('The key in custom_fields.'),
  name: string,
  type: { type: 'string', enum: [...fieldTypeNames] },
  description: { type: ['string', 'null'] },
  required: { type: 'boolean' },
  unique: { type: 'boolean' },
  multiple: { type: 'boolean' },
  max_values: { type: 'integer' },
  options: listOf(object({ id: string, label: string }), 'What can be chosen.'),
  settings: anyObject('Such as the currency, or the longest text.'),
  operators,
  sortable: { type: 'boolean' },
  example_value: { description: 'How a value is written.' },
  example_filter: anyObject('How it is asked for.'),
})

export const describeResourceTool: Tool = {
  name: 'describe_resource',
  title: 'Describe a resource',
  description:
    'Tells all that can be read, filtered, sorted, included and written of a resource in this workspace: ' +
    'attributes, relations, and the custom fields with their codes, types, options and operators, with ' +
    'examples. Call it before you filter by or write custom fields: codes and options differ between ' +
    'workspaces.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema }),
  output: object({
    resource: resourceSchema,
    one: text('What one of them is called.'),
    attributes: listOf(attribute, 'What every workspace has.'),
    relations: listOf(relation, 'What include adds and filters reach.'),
    counts: names('Numbers that include adds.'),
    custom_fields: listOf(field, 'What this workspace has besides, in its order.'),
    sort: names('What lists can be sorted by.'),
    upsert_match: names('The fields by which upsert_record finds a record, and external ids.'),
    examples: object({ create_record: anyObject('A call.'), list_records: anyObject('A call.') }),
  }),
  run: (scope, input) => describeResource(scope, resourceIn(input)),
}
